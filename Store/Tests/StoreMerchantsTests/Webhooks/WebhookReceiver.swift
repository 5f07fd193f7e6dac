import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import StoreMerchants
import Synchronization

/// An HTTP server of a test on a free port of 127.0.0.1, which records its requests.
final class WebhookReceiver: Sendable {
  struct Received: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let authority: String?
    let headers: HTTPFields
    let body: [UInt8]

    /// The value of a header; nil without it.
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
  }

  private let port = Mutex(0)
  private let received = Mutex<[Received]>([])

  /// The recorded requests.
  var requests: [Received] { received.withLock { $0 } }

  /// Serves while `body` runs.
  ///
  /// - Parameters:
  ///   - tls: The settings of TLS; nil for plain HTTP.
  ///   - answer: The answer to a request.
  static func run(
    tls: TLSConfiguration? = nil, answer: @escaping @Sendable () async throws -> Response,
    _ body: @escaping @Sendable (WebhookReceiver) async throws -> Void
  ) async throws {
    let receiver = WebhookReceiver()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = try receiver.application(tls: tls, answer: answer) { listening.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        defer { listening.finish() }
        try await application.run()
      }
      for await port in ports {
        receiver.port.withLock { $0 = port }
        try await body(receiver)
        break
      }
      tasks.cancelAll()
      try? await tasks.waitForAll()
    }
  }

  private func application(
    tls: TLSConfiguration?, answer: @escaping @Sendable () async throws -> Response,
    whenReady: @escaping @Sendable (Int) -> Void
  ) throws -> some ApplicationProtocol {
    let server: HTTPServerBuilder = if let tls { try .tls(tlsConfiguration: tls) } else { .http1() }
    return Application(
      responder: CallbackResponder<BasicRequestContext> { request, _ in
        let next = try await Received(request)
        self.received.withLock { $0.append(next) }
        return try await answer()
      },
      server: server, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { whenReady($0.localAddress?.port ?? 0) },
      logger: Logger(label: "receiver", factory: { _ in SwiftLogNoOpLogHandler() }))
  }

  /// The address of a path.
  func url(_ path: String = "/hooks", scheme: String = "http", host: String = "127.0.0.1") -> String {
    "\(scheme)://\(host):\(port.withLock { $0 })\(path)"
  }

  /// A request with the event of the vectors of Standard Webhooks.
  func request(
    _ url: String? = nil, allowsPrivate: Bool = true, secrets: [WebhookSecret] = []
  ) -> WebhookRequest {
    WebhookRequest(
      url: url ?? self.url(), allowsPrivate: allowsPrivate, id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: Date(timeIntervalSince1970: 1_614_265_330), body: Array(#"{"test": 2432232314}"#.utf8),
      secrets: secrets)
  }
}

extension WebhookReceiver.Received {
  fileprivate init(_ request: Request) async throws {
    let body = try await request.body.collect(upTo: 1 << 20)
    self.init(
      method: request.method, path: request.head.path ?? "", authority: request.head.authority,
      headers: request.headers, body: Array(body.readableBytesView))
  }
}
