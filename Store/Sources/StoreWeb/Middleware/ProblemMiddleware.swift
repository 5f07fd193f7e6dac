import HTTPTypes
package import Hummingbird
import Logging
import OnsideAPI
import StoreBase

/// Turns every error into a response: a problem document (RFC 9457), or a page where a browser is the caller. It throws
/// nothing, so that the middleware around it sees every response.
package struct ProblemMiddleware: RouterMiddleware {
  /// Makes the page of a problem.
  package typealias Page = @Sendable (Problem, Request) -> Response

  let route: Route
  let page: Page
  /// Counts problems by their codes, such as `rate_limited` and `overloaded`.
  let problems: CountersByLabel

  package func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async -> Response {
    do {
      return try await next(request, context)
    } catch {
      let problem = Problem(describing: error)
      problems.increment(problem.code.rawValue)
      if problem.isOfOperator || sqlState(of: error) != nil { log(error, to: context.logger) }
      return response(problem, to: request, context: context)
    }
  }

  private func log(_ error: any Error, to logger: Logger) {
    // Not the error's text: it may hold what the user sent.
    var metadata: Logger.Metadata = ["route": "\(route.path)", "error": "\(error.loggedName)"]
    if case StorageError.unavailable(let code, _) = error { metadata["sqlite"] = "\(code)" }
    if case StorageError.guardFile(let reason) = error { metadata["guard_file"] = "\(reason)" }
    if let sqlState = sqlState(of: error) { metadata["postgres"] = "\(sqlState)" }
    logger.error("failed", metadata: metadata)
  }

  /// PostgreSQL's code, where it has refused a statement or a value: a defect of the store, or a value that no check
  /// has stopped before.
  private func sqlState(of error: any Error) -> String? {
    switch error {
    case StorageError.refused(let sqlState, _), StorageError.invalidValue(let sqlState, _): sqlState
    default: nil
    }
  }

  private func response(_ problem: Problem, to request: Request, context: StoreRequestContext) -> Response {
    var response =
      if route.caller == .browser {
        page(problem, request)
      } else {
        problem.response(from: request, context: context)
      }
    if route.caller == .merchant, problem.status == .unauthorized {
      response.headers[.wwwAuthenticate] = #"Basic realm="onside", charset="UTF-8""#
    }
    // A client that waits for leave may send its body or not: the next request could not be told from it.
    if problem.endsConnection || request.headers[.expect] != nil { response.headers[.connection] = "close" }
    return response
  }
}

extension Problem {
  /// True for what the operator has to look into.
  fileprivate var isOfOperator: Bool { status == .internalServerError || code == .storageUnavailable }

  /// True when the rest of the request is not read: it may be gigabytes, or never come.
  fileprivate var endsConnection: Bool { status == .contentTooLarge || status == .requestTimeout }
}
