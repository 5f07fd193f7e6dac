import HTTPTypes
import Hummingbird
import OnsideAPI

/// Refuses a request that announces a longer body than its route takes, and tells the handler the limit.
struct BodyLimitMiddleware: RouterMiddleware {
  /// Bytes.
  let limit: Int

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw Problem(.contentTooLarge, code: .bodyTooLarge)
    }
    var limited = context
    limited.maxUploadSize = limit
    return try await next(request, limited)
  }
}
