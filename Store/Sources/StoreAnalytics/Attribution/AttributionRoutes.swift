import Hummingbird
import OnsideAPI
package import StoreBase
package import StoreWeb

/// The route that tells an installation which visit led to it.
package struct AttributionRoutes: RouteGroup {
  private let attribution: AttributionService
  private let clock: any StoreClock
  private let proxies: Proxies
  /// Limits the rows that one network can add, and its guesses of tokens, although a token has 128 bits.
  private let limiter = RateLimiter(RateLimit(perSecond: 2, burst: 100))

  package init(attribution: AttributionService, clock: any StoreClock, proxies: Proxies) {
    self.attribution = attribution
    self.clock = clock
    self.proxies = proxies
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.attribution, limits: RouteLimits(body: 4 * 1024)) { request, context in
      let client = request.clientAddress(context, proxies: proxies)
      try limiter.require(NetworkPrefix.of(client), uptime: clock.uptime())
      let asked = try await request.message(AttributionRequest.self, context)
      let app = try context.requireAppID()
      return try .json(
        AttributionMessage(refererURL: try await attribution.address(asked, app: app, client: client)))
    }
  }
}
