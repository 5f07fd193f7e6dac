import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A collector on a free port of 127.0.0.1 that reads OTLP in JSON, as its specification has it.
final class CollectorDouble: Sendable {
  struct Traces: Decodable {
    struct ResourceSpans: Decodable {
      struct Resource: Decodable { var attributes: [Attribute] }
      struct ScopeSpans: Decodable { var spans: [Span] }

      var resource: Resource
      var scopeSpans: [ScopeSpans]
    }

    var resourceSpans: [ResourceSpans]
  }

  struct Attribute: Decodable, Sendable {
    struct Value: Decodable, Sendable {
      var stringValue: String?
      var intValue: String?
    }

    var key: String
    var value: Value
  }

  struct Span: Decodable, Sendable {
    struct Event: Decodable, Sendable { var name: String }
    struct Status: Decodable, Sendable { var code: Int }

    var traceId: String
    var spanId: String
    var parentSpanId: String?
    var name: String
    var kind: Int
    var startTimeUnixNano: String
    var endTimeUnixNano: String
    var attributes: [Attribute]
    var events: [Event]
    var status: Status

    subscript(attribute: String) -> String? {
      attributes.first { $0.key == attribute }.flatMap { $0.value.stringValue ?? $0.value.intValue }
    }
  }

  private struct State {
    var bodies: [String] = []
    var spans: [Span] = []
    var resource: [String: String] = [:]
    var status = HTTPResponse.Status.ok
  }

  private let state = Mutex(State())
  private let port = Mutex(0)
  /// Has an element for each request.
  let asked = AsyncStream.makeStream(of: Void.self)

  /// Runs a collector while `body` does.
  static func run(_ body: @escaping @Sendable (CollectorDouble) async throws -> Void) async throws {
    let collector = CollectorDouble()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let router = Router()
    router.post("/v1/traces") { request, _ in try await collector.take(request) }
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        listening.yield(channel.localAddress?.port ?? 0)
        listening.finish()
      }, logger: Logger(label: "collector", factory: { _ in SwiftLogNoOpLogHandler() }))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await application.run() }
      for await port in ports {
        collector.port.withLock { $0 = port }
        try await body(collector)
      }
      tasks.cancelAll()
      try? await tasks.waitForAll()
    }
  }

  var url: URL? { URL(string: "http://127.0.0.1:\(port.withLock { $0 })/v1/traces") }
  var spans: [Span] { state.withLock { $0.spans } }
  var bodies: [String] { state.withLock { $0.bodies } }
  var resource: [String: String] { state.withLock { $0.resource } }

  /// From now on it answers so; only a success is kept.
  func answer(_ status: HTTPResponse.Status) { state.withLock { $0.status = status } }

  private func take(_ request: Request) async throws -> Response {
    let body = String(buffer: try await request.body.collect(upTo: 16 << 20))
    asked.continuation.yield()
    let traces = try JSONDecoder().decode(Traces.self, from: Data(body.utf8)).resourceSpans
    return state.withLock { state in
      guard state.status == .ok, request.headers[.contentType] == "application/json" else {
        return Response(status: state.status == .ok ? .unsupportedMediaType : state.status)
      }
      state.bodies.append(body)
      for part in traces {
        state.spans += part.scopeSpans.flatMap(\.spans)
        for attribute in part.resource.attributes { state.resource[attribute.key] = attribute.value.stringValue }
      }
      return Response(status: .ok)
    }
  }
}
