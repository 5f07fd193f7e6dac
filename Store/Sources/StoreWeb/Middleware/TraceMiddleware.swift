import HTTPTypes
import Hummingbird
import OnsideAPI
import StoreBase
import Tracing

/// Makes a span of each request that is sampled. Hummingbird's own `TracingMiddleware` records paths and queries, which
/// hold tokens here: this one records the route's template.
struct TraceMiddleware: RouterMiddleware {
  let route: Route
  let tracer: StoreTracer

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let trace = tracer.sampledContext(after: request.headers[.traceparent]) else {
      // An empty context: the calls of this request begin no traces of their own.
      return try await InstrumentationContext.withValue(.topLevel) { try await next(request, context) }
    }
    let method = Self.name(of: request.method)
    return try await tracer.withSpan("\(method) \(route.path)", context: trace, ofKind: .server) { span in
      let response = try await next(request, context)
      span.attributes = [
        "http.request.method": .string(method), "http.route": .string(route.path),
        "http.response.status_code": .int64(Int64(response.status.code)),
      ]
      if response.status.kind == .serverError { span.setStatus(SpanStatus(code: .error)) }
      return response
    }
  }

  /// A method that is none of HTTP's is what a client sent, and not recorded.
  private static func name(of method: HTTPRequest.Method) -> String {
    [.get, .head, .post, .put, .patch, .delete, .options, .trace].contains(method) ? method.rawValue : "_OTHER"
  }
}
