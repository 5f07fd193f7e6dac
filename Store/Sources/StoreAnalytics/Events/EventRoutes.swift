import HTTPTypes
import Hummingbird
import OnsideAPI
package import StoreWeb

/// The routes of events, from apps and from merchants' servers.
package struct EventRoutes: RouteGroup {
  /// 1 MB for both (contract, section 4.3); the SDK's batches are smaller.
  private static let limits = RouteLimits(body: 1024 * 1024, time: .seconds(15))
  /// Batches of one network; each holds a hundred events.
  private static let batches = RateLimit(perSecond: 5, burst: 200)

  package let events: EventService
  package let proxies: Proxies

  package init(events: EventService, proxies: Proxies) {
    self.events = events
    self.proxies = proxies
  }

  package func addRoutes(to routes: StoreRoutes) {
    var limits = Self.limits
    limits.perClient = Self.batches
    routes.on(.events, limits: limits) { request, context in
      let app = try context.requireAppID()
      let client = request.clientAddress(context, proxies: proxies)
      try await events.take(try await request.message(EventsRequest.self, context), app: app, client: client)
      return .noContent
    }
    routes.on(.serverEvents, limits: Self.limits) { request, context in
      let app = try context.requireAppID()
      try await events.take(try await request.message(ServerEventsRequest.self, context), app: app)
      return .noContent
    }
  }
}
