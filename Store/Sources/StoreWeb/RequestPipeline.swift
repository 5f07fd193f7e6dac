import Hummingbird
import OnsideAPI
package import StoreBase

/// Puts the middleware around each route. A route's chain is made once, when the route is mounted, and has only the
/// stages that the route needs.
package struct RequestPipeline: Sendable {
  /// How much of the room for requests new orders may take: the rest is kept for purchases that have begun.
  private static let newOrderPercentage = 75

  private let callers: any CallerAuthentication
  private let tracer: StoreTracer?
  private let deadlines: DeadlineTimer
  private let metrics: RequestMetrics
  private let problemPage: ProblemMiddleware.Page
  private let problems: CountersByLabel
  private let clock: any StoreClock
  private let proxies: Proxies
  private let requests: AdmissionMiddleware
  private let newOrders: AdmissionMiddleware
  private let polls: AdmissionMiddleware
  private let bodies: PendingBodies
  private let clients: RateLimiter
  private let accounts: RateLimiter
  private let keys: RateLimiter
  private let merchants: RateLimiter

  /// The middleware of a store; limits that routes share are counted from here on.
  ///
  /// - Parameters:
  ///   - callers: authenticates the callers of routes.
  ///   - problemPage: makes the page of a problem, for routes of browsers.
  package init(
    limits: StoreLimits, proxies: Proxies, callers: any CallerAuthentication, deadlines: DeadlineTimer,
    clock: any StoreClock, metrics: PrometheusMetrics, tracer: StoreTracer?,
    problemPage: @escaping ProblemMiddleware.Page
  ) {
    self.callers = callers
    self.tracer = tracer
    self.deadlines = deadlines
    self.metrics = RequestMetrics(metrics)
    self.problemPage = problemPage
    problems = CountersByLabel("onside_problems_total", by: "code", ProblemCode.all.map(\.rawValue), metrics)
    self.clock = clock
    self.proxies = proxies
    let inFlight = AdmissionMiddleware.InFlightCount()
    requests = AdmissionMiddleware(limit: limits.requestsInFlight, inFlight: inFlight)
    let newOrderLimit = max(1, limits.requestsInFlight * Self.newOrderPercentage / 100)
    newOrders = AdmissionMiddleware(limit: newOrderLimit, inFlight: inFlight)
    polls = AdmissionMiddleware(limit: limits.waitingPolls)
    bodies = PendingBodies(requestsInFlight: limits.requestsInFlight)
    clients = RateLimiter(limits.perClient)
    accounts = RateLimiter(limits.perAccount)
    keys = RateLimiter(limits.perKey)
    merchants = RateLimiter(limits.perKey)
  }

  /// The responder of a route.
  ///
  /// - Parameter outer: middleware outside that of all routes.
  func responder(
    _ route: Route, limits: RouteLimits = .standard, outer: [any RouterMiddleware<StoreRequestContext>] = [],
    handler: @escaping StoreRoutes.Handler
  ) -> MiddlewareChain {
    MiddlewareChain(
      outer + responses(route) + admission(route, limits: limits) + authentication(route),
      around: DeadlineResponder(
        route: route, limits: limits, deadlines: deadlines, bodies: bodies, proxies: proxies,
        handler: handler))
  }

  /// What every response goes through, refusals too.
  private func responses(_ route: Route) -> [any RouterMiddleware<StoreRequestContext>] {
    let trace = tracer.map { TraceMiddleware(route: route, tracer: $0) }
    return (trace.map { [$0] } ?? []) + [
      RequestLogMiddleware(route: route, recorder: metrics.recorder(for: route), clock: clock),
      SecurityHeadersMiddleware(caller: route.caller),
      ProblemMiddleware(route: route, page: problemPage, problems: problems),
    ]
  }

  /// What a request must pass before its caller is looked up.
  private func admission(_ route: Route, limits: RouteLimits) -> [any RouterMiddleware<StoreRequestContext>] {
    var stages: [any RouterMiddleware<StoreRequestContext>] =
      switch limits.admission {
      case .request: [requests]
      case .newOrder: [newOrders]
      case .longPoll: [polls]
      case .exempt: []
      }
    // Health checks of balancers often speak HTTP/1.0, which has no `Host`.
    if ![.health, .live, .ready].contains(route) { stages.append(HostMiddleware()) }
    // A provider is known by its signature, not by its address, and must never be turned away. Nor must a balancer be,
    // whose address may be that of all clients.
    if route.caller != .provider, ![.live, .ready].contains(route) {
      stages.append(
        RateLimitMiddleware.perClient(clients, own: limits.perClient, clock: clock, proxies: proxies))
    }
    stages.append(BodyLimitMiddleware(limit: limits.body))
    return stages
  }

  /// Authentication of the caller, and the rate limit of its account, API key or app.
  private func authentication(_ route: Route) -> [any RouterMiddleware<StoreRequestContext>] {
    let authentication = callers.middleware(for: route)
    switch route.caller {
    case .account, .app:
      return [authentication, RateLimitMiddleware.perAccount(accounts, clock: clock), callers.sessionConfirmation]
    case .apiKey:
      return [authentication, RateLimitMiddleware.perKey(keys, clock: clock)]
    case .merchantToken:
      return [authentication, RateLimitMiddleware.perApp(merchants, clock: clock)]
    case .anyone, .browser, .provider, .device, .merchant:
      return [authentication]
    }
  }
}
