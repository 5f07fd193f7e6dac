import HTTPTypes
import Hummingbird
import Logging
import OnsideAPI
import StoreBase

/// Writes one line into the log for each request, and counts and times it. Both name the route's template, never a
/// path: paths hold tokens.
struct RequestLogMiddleware: RouterMiddleware {
  let route: Route
  let recorder: RouteRecorder
  let clock: any StoreClock

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    let start = clock.uptime()
    let response = try await next(request, context)
    let elapsed = clock.uptime() - start
    recorder.record(response.status, after: elapsed)
    context.logger.log(
      level: Self.level(of: response.status), "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(route.path)", "status": "\(response.status.code)",
        "ms": "\(Int(elapsed.seconds * 1000))",
      ])
    return response
  }

  /// The log level of a response. Successes are logged at `debug` only, since the metrics count them.
  private static func level(of status: HTTPResponse.Status) -> Logger.Level {
    switch status.code {
    case 500...: .warning
    case 400...: .info
    default: .debug
    }
  }
}
