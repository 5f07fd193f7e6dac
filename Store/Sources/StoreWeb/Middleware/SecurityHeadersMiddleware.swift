import HTTPTypes
import Hummingbird
import OnsideAPI

/// Adds the headers that every response has, refusals too, unless the route chose its own.
struct SecurityHeadersMiddleware: RouterMiddleware {
  let caller: Route.Caller

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers.addDefaults(for: caller)
    return response
  }
}

extension HTTPFields {
  /// Headers that every answer has unless the route chose its own.
  mutating func addDefaults(for caller: Route.Caller) {
    self[.onsideStore] = "1"
    self[.xContentTypeOptions] = "nosniff"
    if self[.cacheControl] == nil { self[.cacheControl] = "no-store" }
    guard caller == .browser else { return }
    if self[.referrerPolicy] == nil { self[.referrerPolicy] = "no-referrer" }
    if self[.contentSecurityPolicy] == nil {
      self[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    }
  }
}
