package import Foundation

/// Waits on 127.0.0.1 for the browser to come back from a page (RFC 8252, section 7.3).
///
/// Anybody on this machine can connect, so: a request that is not the expected redirect is answered and forgotten, each
/// one has a size and a time limit, and only so many are read at once.
package struct LoopbackListener: Sendable {
  /// The most bytes of a request that are read.
  package static let requestLimit = 16_384
  /// How long a request may take to arrive, in seconds.
  package static let requestDeadline = 5.0
  /// How long a browser that is late still gets an answer after nobody waits for it any more, in seconds. The store's
  /// word often settles a payment before the browser has followed its redirect; without an answer the user would see a
  /// connection error after having paid.
  package static let farewell = 60.0
  /// How many requests are read at the same time.
  package static let parallelLimit = 16

  private let socket: PlatformSocket
  private let sleep: @Sendable (Double) async throws -> Void

  /// Starts to listen on a port that the system picks.
  package init(sleep: @escaping @Sendable (Double) async throws -> Void) throws(ScreenPresentationError) {
    do {
      socket = try PlatformSocket.listening()
    } catch {
      throw ScreenPresentationError(
        "expected to listen on 127.0.0.1 for the page's redirect, but \(error); let the app use the loopback interface")
    }
    self.sleep = sleep
  }

  /// The address to redirect to.
  package var redirect: URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "127.0.0.1"
    components.port = Int(socket.port)
    components.path = "/callback"
    return components.url ?? URL(filePath: "/")
  }

  /// The first request that `accepts` takes, answered with a small page; nil when the task is cancelled.
  package func firstRedirect(where accepts: @escaping @Sendable (URL) -> Bool) async -> URL? {
    let url = await nextRedirect(where: accepts)
    if url == nil, Task.isCancelled { answerLateBrowser(where: accepts) }
    return url
  }

  private func answerLateBrowser(where accepts: @escaping @Sendable (URL) -> Bool) {
    Task { _ = try await withDeadline(Self.farewell, sleep: sleep) { await nextRedirect(where: accepts) } }
  }

  private func nextRedirect(where accepts: @escaping @Sendable (URL) -> Bool) async -> URL? {
    await withTaskGroup(of: Step.self) { group in
      var reading = 0
      group.addTask { .connected(await socket.accept()) }
      while let step = await group.next() {
        switch step {
        case .connected(nil):
          group.cancelAll()
          return nil
        case .connected(let connection?):
          reading += 1
          group.addTask { .answered(await answer(connection, accepts)) }
          if reading < Self.parallelLimit { group.addTask { .connected(await socket.accept()) } }
        case .answered(let url?):
          group.cancelAll()
          return url
        case .answered(nil):
          if reading == Self.parallelLimit { group.addTask { .connected(await socket.accept()) } }
          reading -= 1
        }
      }
      return nil
    }
  }

  private enum Step: Sendable {
    case connected(PlatformSocket?)
    case answered(URL?)
  }

  private func answer(_ connection: PlatformSocket, _ accepts: @escaping @Sendable (URL) -> Bool) async -> URL? {
    let head = try? await withDeadline(Self.requestDeadline, sleep: sleep) { await read(connection) }
    let (response, url) = LoopbackResponse.to(head ?? [], host: "127.0.0.1:\(socket.port)", accepts: accepts)
    _ = try? await withDeadline(Self.requestDeadline, sleep: sleep) { await connection.write(response.bytes) }
    connection.finishWriting()
    return url
  }

  private func read(_ connection: PlatformSocket) async -> [UInt8] {
    var head: [UInt8] = []
    while head.count < Self.requestLimit {
      let bytes = await connection.read(upTo: 4096)
      guard !bytes.isEmpty else { return [] }
      head += bytes
      if head.contains(Array("\r\n\r\n".utf8)) { return head }
    }
    return []
  }
}
