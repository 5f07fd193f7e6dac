import Hummingbird
import StoreWeb

/// Notes the first use of each refreshed access token (``SessionConfirmations``).
package struct SessionConfirmationMiddleware: RouterMiddleware {
  package let confirmations: SessionConfirmations

  package init(confirmations: SessionConfirmations) {
    self.confirmations = confirmations
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    if let claims = context.claims { await confirmations.note(claims) }
    return try await next(request, context)
  }
}
