import HTTPTypes
import Hummingbird
import OnsideAPI

/// What the provider tells, over HTTP.
struct ProviderRoutes: RouteGroup {
  let events: ProviderEventService

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.sandboxEvents, limits: RouteLimits(body: 8 * 1024)) { request, context in
      let body = try await request.body.collect(upTo: context.maxUploadSize)
      try await events.receive(Array(body.readableBytesView), signature: request.headers[.sandboxSignature])
      return .noContent
    }
  }
}
