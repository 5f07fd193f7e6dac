import HTTPTypes
import Hummingbird
import Synchronization

/// Runs requests that ``RequestGuard`` accepts, and answers others with the reason of the refusal. The checks need the
/// port, which is known once the socket is open.
final class Door: Sendable {
  private struct Kept {
    var keeper: RequestGuard
    var address: BrowserHostAddress
  }

  private let kept = Mutex<Kept?>(nil)
  private let log: TrafficLog

  init(log: TrafficLog) { self.log = log }

  func open(_ keeper: RequestGuard, at address: BrowserHostAddress) {
    kept.withLock { $0 = Kept(keeper: keeper, address: address) }
  }

  var address: BrowserHostAddress? { kept.withLock { $0?.address } }

  /// The checks that a request has to pass; each includes those before it.
  enum Rule: Sendable { case host, token, page }

  /// Runs `act` for a request that passes the checks up to `rule`. With `.page`, the page's origin may read the answer.
  func admit(
    _ request: Request, by rule: Rule, _ act: () async throws -> Response
  ) async throws -> Response {
    do {
      let origin = try check(request, against: rule)
      var response = try await act()
      if let origin { response.headers[.accessControlAllowOrigin] = origin }
      response.headers[.vary] = "Origin"
      response.headers[.cacheControl] = "no-store"
      return response
    } catch let refusal as RequestGuard.Refusal {
      log.refused(request.uri.path, because: refusal)
      return Response(
        status: refusal.status, headers: [.contentType: "text/plain; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: refusal.reason)))
    }
  }

  /// The origin that may read the answer; nil when it is the host's own.
  private func check(_ request: Request, against rule: Rule) throws(RequestGuard.Refusal) -> String? {
    guard let kept = kept.withLock({ $0 }) else {
      throw RequestGuard.Refusal(status: .serviceUnavailable, reason: "not ready yet")
    }
    try kept.keeper.checkHost(request.head.authority)
    if rule == .host { return nil }
    try kept.keeper.checkToken(request.uri.queryParameters["token"].map(String.init))
    if rule == .token { return nil }
    let origin = request.headers[.origin]
    try kept.keeper.checkOrigin(
      origin, site: request.headers[.secFetchSite], isOwnPage: kept.address.isServedHere)
    return origin
  }
}

extension HTTPField.Name {
  fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
}
