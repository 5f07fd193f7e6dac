import HTTPTypes
public import Hummingbird
public import OnsideAPI

/// The router of the store, on which route groups mount their routes. ``RequestPipeline`` puts the middleware around
/// every route: admission, authentication, limits, problem responses, headers, metrics.
public final class StoreRoutes {
  /// Answers a request.
  public typealias Handler = @Sendable (Request, StoreRequestContext) async throws -> Response

  private let router = Router(context: StoreRequestContext.self, options: [.autoGenerateHeadEndpoints])
  private let pipeline: RequestPipeline
  /// The paths that scripts of other sites may call.
  private var sharedPaths: Set<String> = []
  /// Every route mounted so far, with its limits.
  public private(set) var mounted: [(route: Route, limits: RouteLimits)] = []

  package init(pipeline: RequestPipeline) {
    self.pipeline = pipeline
  }

  /// Mounts a route. `context.claims` and `context.appID` are filled as ``Route/caller`` asks.
  public func on(_ route: Route, limits: RouteLimits = .standard, _ handler: @escaping Handler) {
    mount(route, limits: limits, outer: [], handler: handler)
  }

  /// Mounts a route that scripts of every site may call (Fetch, "CORS protocol"): every answer on its path has the CORS
  /// headers, also refusals and the answer to the browser's preflight request.
  package func onShared(_ route: Route, limits: RouteLimits = .standard, _ handler: @escaping Handler) {
    sharedPaths.insert(route.path)
    mount(route, limits: limits, outer: [CrossOriginMiddleware()], handler: handler)
  }

  private func mount(
    _ route: Route, limits: RouteLimits, outer: [any RouterMiddleware<StoreRequestContext>],
    handler: @escaping Handler
  ) {
    mounted.append((route, limits))
    router.on(
      RouterPath(route.path), method: HTTPRequest.Method(route.method),
      responder: pipeline.responder(route, limits: limits, outer: outer, handler: handler))
  }

  /// The finished router: other methods of a known path are 405, as are unknown methods; other paths are 404.
  package func build() -> Router<StoreRequestContext> {
    for (path, routes) in Dictionary(grouping: mounted.map(\.route), by: \.path) {
      let answers = OtherMethods(path: path, routes: routes, isShared: sharedPaths.contains(path), pipeline: pipeline)
      for (method, responder) in answers.all { router.on(RouterPath(path), method: method, responder: responder) }
    }
    // Added last, so that it surrounds only the answer for unknown paths.
    router.add(middleware: UnknownPathMiddleware(problem: unknown(by: .anyone), page: unknown(by: .browser)))
    return router
  }

  private func unknown(by caller: Route.Caller) -> MiddlewareChain {
    pipeline.responder(
      Route(.get, "unknown", by: caller), outer: [AllowMiddleware(methods: "GET, HEAD, POST, OPTIONS")]
    ) { request, _ in
      guard OtherMethods.isKnown(request.method) else { throw Problem(.methodNotAllowed, code: .methodNotAllowed) }
      throw Problem.notFound
    }
  }
}
