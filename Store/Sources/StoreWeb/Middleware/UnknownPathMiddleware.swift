import HTTPTypes
import Hummingbird

/// Answers requests for paths that the router does not know: a browser that asks for a page is shown one, a program
/// gets a problem document.
struct UnknownPathMiddleware: RouterMiddleware {
  let problem: MiddlewareChain
  let page: MiddlewareChain

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    let responder = request.asksForPage ? page : problem
    let response = try await responder.respond(to: request, context: context)
    // The router does so for the paths that it knows.
    return request.method == .head ? response.createHeadResponse() : response
  }
}

extension Request {
  /// True for a browser that opens an address: programs do not ask for HTML.
  fileprivate var asksForPage: Bool { headers[.accept]?.contains("text/html") == true }
}
