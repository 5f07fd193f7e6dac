import NIOCore
import NIOHTTP1
import OnsideAPI

extension FaultProxy {
  /// A request of a device or of a browser.
  struct Request: Sendable {
    let method: HTTPMethod
    /// Path and query.
    let uri: String
    let headers: HTTPHeaders
    let body: ByteBuffer

    init?(_ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>) async throws {
      var head: HTTPRequestHead?
      var body = ByteBuffer()
      for try await part in parts {
        switch part {
        case .head(let received): head = received
        case .body(var received): body.writeBuffer(&received)
        case .end:
          guard let head else { return nil }
          (method, uri, headers, self.body) = (head.method, head.uri, head.headers, body)
          return
        }
      }
      return nil
    }

    var path: Substring { uri.prefix { $0 != "?" } }
    var text: String { String(buffer: body) }
    var idempotencyKeys: [String] { headers[WireHeader.idempotencyKey] }
  }

  /// A network fault for a request.
  enum Fault: Sendable {
    /// The connection is closed before the request reaches the store.
    case refuse
    /// The store answers, but the answer never arrives.
    case loseAnswer
    /// The request arrives twice; the answer is the second one's, or the first one's.
    case twice
    case twiceAnsweringFirst
    /// The connection is closed, but the request arrives later, after this number of other requests.
    case late(Int)
    /// A proxy answers with this status and body instead of the store, and with `Retry-After` in seconds.
    case answer(Int, String, retryAfter: Int? = nil)
    /// The request waits on its way to the store.
    case hold(Latch)
    /// The answer waits on its way back.
    case holdAnswer(Latch)
  }

  /// A kind of traffic.
  struct Traffic: Sendable {
    let contains: @Sendable (Request) -> Bool

    /// Requests of the SDK, without those of browsers.
    static let sdk = Traffic { request in
      request.path.hasPrefix("/v1/") || request.path == Route.token.path || request.path == Route.revoke.path
    }

    static let refresh = call(.token).where { $0.text.contains("grant_type=refresh_token") }
    static let exchange = call(.token).where { $0.text.contains("grant_type=authorization_code") }
    /// What a browser sends from the pages of the login.
    static let loginForms = Traffic { $0.method == .POST && $0.path.hasPrefix("/login/") }

    /// The calls of one route.
    static func call(_ route: Route) -> Traffic {
      let pattern = route.path.split(separator: "/")
      return Traffic { request in
        let path = request.path.split(separator: "/")
        return request.method.rawValue == route.method.rawValue && path.count == pattern.count
          && zip(path, pattern).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
      }
    }

    func `where`(_ condition: @escaping @Sendable (Request) -> Bool) -> Traffic {
      Traffic { contains($0) && condition($0) }
    }
  }
}
