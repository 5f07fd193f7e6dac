import Hummingbird
import StoreWeb

/// Notes the first use of each refreshed access token (``SessionConfirmations``).
struct SessionConfirmationMiddleware: RouterMiddleware {
  let confirmations: SessionConfirmations

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    if let claims = context.claims { await confirmations.note(claims) }
    return try await next(request, context)
  }
}
