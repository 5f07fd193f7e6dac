import HTTPTypes
import Hummingbird

/// Refuses a request without exactly one `Host` (RFC 9112, section 3.2).
struct HostMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    // The first `Host` is the request's authority; one in the fields is a second one.
    guard request.head.authority != nil, request.headers[.secondHost] == nil else {
      throw Problem.invalidRequest("Expected the header Host once.")
    }
    return try await next(request, context)
  }
}
