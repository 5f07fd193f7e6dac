import Hummingbird
import OnsideAPI

/// Fills the account and the app of the context as the route asks for them, or refuses the request.
struct AuthenticationMiddleware: RouterMiddleware {
  let caller: Route.Caller
  let callers: CallerCheck

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    var identified = context
    try await callers.identify(caller, request, &identified)
    return try await next(request, identified)
  }
}
