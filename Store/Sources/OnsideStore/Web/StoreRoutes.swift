import HTTPTypes
public import Hummingbird
public import OnsideAPI

/// The router of the store, on which route groups mount their routes. ``RequestPipeline`` wraps every route:
/// authentication, limits, problem responses, headers, metrics.
public final class StoreRoutes {
  /// Answers a request.
  public typealias Handler = @Sendable (Request, StoreRequestContext) async throws -> Response

  private let router = Router(context: StoreRequestContext.self, options: [.autoGenerateHeadEndpoints])
  private let pipeline: RequestPipeline
  /// The paths that scripts of other sites may call.
  private var sharedPaths: Set<String> = []
  /// Every route mounted so far, with its limits.
  public private(set) var mounted: [(route: Route, limits: RouteLimits)] = []

  init(pipeline: RequestPipeline) {
    self.pipeline = pipeline
  }

  /// Mounts a route. `context.claims` and `context.app` are filled as ``Route/caller`` asks.
  public func on(_ route: Route, limits: RouteLimits = .standard, _ handler: @escaping Handler) {
    mounted.append((route, limits))
    mount(HTTPRequest.Method(route.method), path: route.path, pipeline.endpoint(route, limits, handler))
  }

  /// Mounts a route that scripts of every site may call (Fetch, "CORS protocol"): every answer on its path has the CORS
  /// headers, also refusals and the answer to the browser's preflight request.
  func onShared(_ route: Route, limits: RouteLimits = .standard, _ handler: @escaping Handler) {
    mounted.append((route, limits))
    sharedPaths.insert(route.path)
    mount(HTTPRequest.Method(route.method), path: route.path, Self.shared(pipeline.endpoint(route, limits, handler)))
  }

  /// Adds the CORS headers to every response. The endpoint throws nothing, so that no response lacks them.
  private static func shared(_ endpoint: @escaping Handler) -> Handler {
    { request, context in
      var response = try await endpoint(request, context)
      response.headers[.accessControlAllowOrigin] = "*"
      response.headers[.accessControlExposeHeaders] = "Retry-After"
      return response
    }
  }

  /// The answer to a browser's CORS preflight request (`OPTIONS`).
  private func preflight(_ path: String, _ allowed: [HTTPRequest.Method]) -> Handler {
    let methods = (allowed.map(\.rawValue) + ["OPTIONS"]).joined(separator: ", ")
    return Self.shared(
      pipeline.endpoint(Route(.get, path, by: .anyone), .standard) { _, _ in
        var response = Response.noContent
        response.headers[.allow] = Self.list(allowed)
        response.headers[.accessControlAllowMethods] = methods
        response.headers[.accessControlAllowHeaders] = "Content-Type"
        response.headers[.accessControlMaxAge] = "86400"
        return response
      })
  }

  /// The answer to `OPTIONS`, and to a method that a path does not have: which ones it has.
  private func methods(
    of path: String, _ allowed: [HTTPRequest.Method], by caller: Route.Caller, refusing: Bool
  ) -> Handler {
    let endpoint = pipeline.endpoint(Route(.get, path, by: caller), .standard) { _, _ in
      guard !refusing else { throw Problem(.methodNotAllowed, .methodNotAllowed) }
      return .noContent
    }
    let list = Self.list(allowed)
    return { request, context in
      var response = try await endpoint(request, context)
      // Not on a refusal for another reason, such as a limit.
      if [.methodNotAllowed, .noContent].contains(response.status) { response.headers[.allow] = list }
      return response
    }
  }

  /// The value of `Allow`. The router answers HEAD where there is GET.
  private static func list(_ allowed: [HTTPRequest.Method]) -> String {
    let all = allowed.flatMap { $0 == .get ? [.get, .head] : [$0] } + [.options]
    return all.map(\.rawValue).joined(separator: ", ")
  }

  /// The finished router: other methods of a known path are 405, other paths are 404. A browser that asks for a page is
  /// shown one, unless programs call the path, too.
  func build() -> Router<StoreRequestContext> {
    let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete, .trace]
    for (path, routes) in Dictionary(grouping: mounted.map(\.route), by: \.path) {
      let allowed = routes.map { HTTPRequest.Method($0.method) }
      let caller: Route.Caller = routes.allSatisfy { $0.caller == .browser } ? .browser : .anyone
      let refusal = self.methods(of: path, allowed, by: caller, refusing: true)
      let isShared = sharedPaths.contains(path)
      let answer = isShared ? Self.shared(refusal) : refusal
      for method in methods where !allowed.contains(method) { mount(method, path: path, answer) }
      let options = isShared ? preflight(path, allowed) : self.methods(of: path, allowed, by: .anyone, refusing: false)
      mount(.options, path: path, options)
    }
    // Added last, so that it surrounds only the answer for unknown paths.
    let (problem, page) = (unknown(by: .anyone), unknown(by: .browser))
    router.add(
      middleware: UnknownPath { request, context in
        try await request.asksForPage ? page(request, context) : problem(request, context)
      })
    return router
  }

  private func unknown(by caller: Route.Caller) -> Handler {
    pipeline.endpoint(Route(.get, "unknown", by: caller), .standard) { _, _ in throw Problem.notFound }
  }

  private func mount(_ method: HTTPRequest.Method, path: String, _ endpoint: @escaping Handler) {
    router.on(RouterPath(path), method: method, use: endpoint)
  }
}

private struct UnknownPath: RouterMiddleware {
  typealias Context = StoreRequestContext
  let respond: StoreRoutes.Handler

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    let response = try await respond(request, context)
    // The router does so for the paths that it knows.
    return request.method == .head ? response.createHeadResponse() : response
  }
}

extension Request {
  /// True for a browser that opens an address: programs do not ask for HTML.
  fileprivate var asksForPage: Bool { headers[.accept]?.contains("text/html") == true }
}

extension HTTPRequest.Method {
  fileprivate init(_ method: Route.Method) {
    switch method {
    case .get: self = .get
    case .post: self = .post
    }
  }
}
