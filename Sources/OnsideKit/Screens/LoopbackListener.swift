package import Foundation
import OnsideAPI

/// Waits on 127.0.0.1 for the browser's redirect from a page (RFC 8252, section 7.3). A request that is not the
/// expected redirect is answered and ignored.
package struct LoopbackListener: Sendable {
  /// How long a late browser still gets an answer after the wait has ended, in seconds. The store's answer often
  /// settles a payment before the browser has followed its redirect; without an answer the user would see a connection
  /// error after having paid.
  package static let farewell = 60.0

  /// How many random bytes are in the path.
  private static let secretBytes = 16

  /// The address to redirect to. Every program of this machine can reach the port, so the last segment of the path is
  /// random.
  package let redirect: URL

  private let server: LoopbackServer
  private let sleep: @Sendable (Double) async throws -> Void

  /// Starts to listen on a port that the system picks.
  package init(
    sleep: @escaping @Sendable (Double) async throws -> Void,
    randomBytes: @Sendable (Int) -> [UInt8] = Dependencies.liveRandomBytes
  ) throws(ScreenPresentationError) {
    server = try LoopbackServer(sleep: sleep)
    redirect = server.address("/callback/" + Base64URL.encode(randomBytes(Self.secretBytes)))
    self.sleep = sleep
  }

  /// The first request that `accepts` takes, answered with a small page; nil when the task is cancelled.
  package func firstRedirect(where accepts: @escaping @Sendable (URL) -> Bool) async -> URL? {
    let (redirects, arrived) = AsyncStream<URL>.makeStream()
    // Not a child task: a browser whose request is under way when the wait ends still gets its answer.
    let listening = Task {
      if let url = await nextRedirect(where: accepts) { arrived.yield(url) }
      arrived.finish()
    }
    for await url in redirects { return url }
    if Task.isCancelled { endLater(listening) }
    return nil
  }

  private func endLater(_ listening: Task<Void, Never>) {
    Task {
      _ = try await withDeadline(Self.farewell, sleep: sleep) {
        await withTaskCancellationHandler {
          await listening.value
        } onCancel: {
          listening.cancel()
        }
      }
    }
  }

  private func nextRedirect(where accepts: @escaping @Sendable (URL) -> Bool) async -> URL? {
    await server.run { request in
      guard let request, request.method == .get else { return (.malformed, nil) }
      return accepts(request.url) ? (.accepted, request.url) : (.unknown, nil)
    }
  }
}
