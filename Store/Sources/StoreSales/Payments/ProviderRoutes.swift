import HTTPTypes
import Hummingbird
import OnsideAPI
import StoreBase
package import StorePayments
import StoreWeb

/// What the providers tell, over HTTP.
package struct ProviderRoutes: RouteGroup {
  /// The most bytes that any provider may send: each has a limit of its own below it.
  private static let largestBody = 256 * 1024

  package let events: ProviderEventService
  package let providers: PaymentProviders

  package init(events: ProviderEventService, providers: PaymentProviders) {
    self.events = events
    self.providers = providers
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.providerEvents, limits: RouteLimits(body: Self.largestBody)) { request, context in
      guard let provider = try? providers.provider(context.parameters.get("provider") ?? "") else {
        throw Problem.notFound
      }
      let limit = min(provider.traits.largestEvent, context.maxUploadSize)
      let body = try await request.body.collect(upTo: limit)
      let now = events.dependencies.clock.unmovedNow()
      let delivery = ProviderDelivery(
        body: Array(body.readableBytesView), headers: request.headers, receivedAt: now)
      try await events.receive(delivery, from: provider)
      return .noContent
    }
  }
}
