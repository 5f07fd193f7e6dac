import HTTPTypes
import Hummingbird
import OnsideAPI

/// Where events arrive, from apps and from merchants' servers.
struct EventRoutes: RouteGroup {
  /// 1 MB for both (contract, section 4.3); the SDK's batches are smaller.
  private static let limits = RouteLimits(body: 1024 * 1024, time: .seconds(20))

  let events: EventService
  let credentials: ServerCredentials
  let apps: AppDirectory
  let dependencies: StoreDependencies
  /// Batches of one network; each holds a hundred events.
  private let limiter = RateLimiter(RateLimit(perSecond: 5, burst: 200))

  init(events: EventService, credentials: ServerCredentials, apps: AppDirectory, dependencies: StoreDependencies) {
    self.events = events
    self.credentials = credentials
    self.apps = apps
    self.dependencies = dependencies
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.events, limits: Self.limits) { request, context in
      let client = request.clientAddress(context, isBehindProxy: dependencies.configuration.isBehindProxy)
      if let seconds = limiter.take(NetworkPrefix.of(client), uptime: dependencies.clock.uptime()) {
        throw Problem(.tooManyRequests, .rateLimited, retryAfter: seconds)
      }
      let app = try context.requireApp()
      try await events.take(try await request.message(EventsRequest.self, context), app: app.id)
      return .noContent
    }
    routes.on(.serverEvents, limits: Self.limits) { request, context in
      guard let app = try await credentials.app(request.headers[.authorization]), apps.app(app) != nil else {
        var refusal = Problem.notAuthenticated.response()
        refusal.headers[.wwwAuthenticate] = #"Basic realm="onside", charset="UTF-8""#
        return refusal
      }
      try await events.take(try await request.message(ServerEventsRequest.self, context), app: app)
      return .noContent
    }
  }
}
