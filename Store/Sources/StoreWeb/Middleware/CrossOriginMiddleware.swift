import HTTPTypes
import Hummingbird

/// Adds the CORS headers that let scripts of every site read a response (Fetch, "CORS protocol"). It stands outside the
/// route's other middleware, so that refusals have the headers, too.
struct CrossOriginMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers[.accessControlAllowOrigin] = "*"
    response.headers[.accessControlExposeHeaders] = "Retry-After"
    return response
  }
}
