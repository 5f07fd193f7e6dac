import HTTPTypes
import Hummingbird
import OnsideAPI

/// Runs a route's handler within the route's time limits: one for the body to arrive, then one for the answer.
///
/// It is the responder inside all middleware, and not a `RouterMiddleware`: the limited work runs in a task that can be
/// cancelled, and the `next` of a middleware may not leave the task that calls it.
struct DeadlineResponder: HTTPResponder {
  let route: Route
  let limits: RouteLimits
  let deadlines: DeadlineTimer
  let bodies: PendingBodies
  let proxies: Proxies
  let handler: StoreRoutes.Handler

  func respond(to request: Request, context: StoreRequestContext) async throws -> Response {
    guard request.announcesBody else { return try await answer(request, context: context) }
    let network = NetworkPrefix.ofHousehold(request.clientAddress(context, proxies: proxies))
    let bytes = request.headers[.contentLength].flatMap { Int($0) } ?? limits.body
    let receive = { try await bodies.count(bytes, of: network) { try await received(request, context: context) } }
    let whole =
      if let admission = context.admission { try await admission.withoutPlace(receive) } else { try await receive() }
    return try await answer(whole, context: context)
  }

  private func answer(_ request: Request, context: StoreRequestContext) async throws -> Response {
    try await deadlines.run(within: limits.time, late: .tookTooLong) { try await handler(request, context) }
  }

  /// The request with its whole body. The client has the route's time limit to send it: a slow client gets an error of
  /// its own, which does not count as a failure of the store.
  private func received(_ request: Request, context: StoreRequestContext) async throws -> Request {
    // Only now: a client that waits for leave is spared a body that would be refused (RFC 9110, section 10.1.1).
    if request.headers[.expect]?.lowercased() == "100-continue" { try await context.sendContinue() }
    return try await deadlines.run(within: limits.time, late: .slowBody) {
      var whole = request
      _ = try await whole.collectBody(upTo: limits.body)
      // A body that is cancelled ends early, without an error.
      try Task.checkCancellation()
      return whole
    }
  }
}

extension Problem {
  fileprivate static let tookTooLong = Problem(.serviceUnavailable, code: .timedOut, retryAfter: 1)
  fileprivate static let slowBody = Problem(
    .requestTimeout, code: .timedOut,
    detail: "Expected the whole body in the time of the route. Send the request again.")
}
