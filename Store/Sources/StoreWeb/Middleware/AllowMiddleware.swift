import HTTPTypes
import Hummingbird

/// Adds `Allow`, the methods of a path, to a response that refuses the method, and to the answer to `OPTIONS`.
struct AllowMiddleware: RouterMiddleware {
  /// The value of the header.
  let methods: String

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // Not on a refusal for another reason, such as a limit.
    if [.methodNotAllowed, .noContent].contains(response.status) { response.headers[.allow] = methods }
    return response
  }
}
