import Hummingbird

/// A responder with middleware around it, composed once: a request takes no look-up on its way through. It does for one
/// route what Hummingbird's `MiddlewareGroup` does for a router.
struct MiddlewareChain: HTTPResponder {
  private let first: StoreRoutes.Handler

  /// The first middleware is the outermost one.
  init(
    _ middleware: [any RouterMiddleware<StoreRequestContext>], around responder: some HTTPResponder<StoreRequestContext>
  ) {
    let last: StoreRoutes.Handler = { try await responder.respond(to: $0, context: $1) }
    first = middleware.reversed().reduce(last) { next, middleware in
      { request, context in try await middleware.handle(request, context: context, next: next) }
    }
  }

  func respond(to request: Request, context: StoreRequestContext) async throws -> Response {
    try await first(request, context)
  }
}
