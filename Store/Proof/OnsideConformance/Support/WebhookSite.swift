import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// A merchant's receiver of webhooks, on a port of its own.
final class WebhookSite: Sendable {
  /// A request that arrived.
  struct Delivery: Sendable, Hashable {
    let path: String
    let id: String
    let timestamp: String
    /// The signatures, with spaces between them.
    let signature: String
    let body: Data
  }

  private struct State {
    var port = 0
    var deliveries: [Delivery] = []
    var answers: [String: Int] = [:]
  }

  private let state = Mutex(State())
  private let running = Mutex<Task<Void, any Error>?>(nil)

  /// Opens a receiver, runs the test, and closes it.
  @MainActor
  static func run(_ body: @MainActor (WebhookSite) async throws -> Void) async throws {
    let site = try await open()
    let result: Result<Void, any Error>
    do { result = .success(try await body(site)) } catch { result = .failure(error) }
    await site.close()
    try result.get()
  }

  private static func open() async throws -> WebhookSite {
    let site = WebhookSite()
    let router = Router()
    router.post("**") { request, _ in try await site.receive(request) }
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) },
      logger: Logger(label: "webhooks") { _ in SwiftLogNoOpLogHandler() })
    site.running.withLock {
      $0 = Task {
        defer { listening.finish() }
        try await application.run()
      }
    }
    for await port in ports {
      site.state.withLock { $0.port = port }
      break
    }
    return site
  }

  private func close() async {
    let task = running.withLock { $0 }
    task?.cancel()
    _ = await task?.result
  }

  /// The address of a path.
  func address(_ path: String) -> String { "http://127.0.0.1:\(state.withLock { $0.port })\(path)" }

  /// Sets the status of later answers at a path; 204 without one, 0 for no answer.
  func answer(_ status: Int, at path: String) { state.withLock { $0.answers[path] = status } }

  /// The requests to a path, in the order of their arrival.
  func deliveries(at path: String) -> [Delivery] { state.withLock { $0.deliveries }.filter { $0.path == path } }

  private func receive(_ request: Request) async throws -> Response {
    let body = try await request.body.collect(upTo: 1 << 20)
    func header(_ name: String) -> String { HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
    let delivery = Delivery(
      path: request.uri.path, id: header("webhook-id"), timestamp: header("webhook-timestamp"),
      signature: header("webhook-signature"), body: Data(body.readableBytesView))
    let status = state.withLock { state in
      state.deliveries.append(delivery)
      return state.answers[delivery.path] ?? 204
    }
    if status == 0 { try await Task.sleep(for: .seconds(600)) }
    return Response(status: HTTPResponse.Status(code: status))
  }
}
