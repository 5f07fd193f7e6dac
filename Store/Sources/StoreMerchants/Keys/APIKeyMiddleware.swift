import HTTPTypes
import Hummingbird
package import OnsideAPI
package import StoreBase
package import StoreWeb

/// Authenticates the API key of a request, and requires the scope of the route.
package struct APIKeyMiddleware: RouterMiddleware {
  /// The rate limit of rejected keys of one network.
  package static let failureLimit = RateLimit(perSecond: 1, burst: 60)

  private let scope: APIKeyScope
  private let keys: APIKeyService
  private let failures: RateLimiter
  private let proxies: Proxies
  private let clock: any StoreClock

  /// - Parameter failures: counts the rejected keys of all routes.
  package init(
    scope: APIKeyScope, keys: APIKeyService, failures: RateLimiter, proxies: Proxies, clock: any StoreClock
  ) {
    self.scope = scope
    self.keys = keys
    self.failures = failures
    self.proxies = proxies
    self.clock = clock
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let token = APIKeyToken(authorization: request.headers[.authorization]) else { throw APIKeyRejection.form }
    let caller: APIKeyCaller
    do { caller = try await accepted(token) } catch let rejection as APIKeyRejection {
      let network = NetworkPrefix.ofCaller(request.clientAddress(context, proxies: proxies))
      try failures.require(network, uptime: clock.uptime())
      throw rejection
    }
    var context = context
    context.apiKey = caller
    context.appID = caller.app
    return try await next(request, context)
  }

  private func accepted(_ token: APIKeyToken) async throws -> APIKeyCaller {
    let caller = try await keys.caller(token)
    guard caller.scopes.contains(scope) else { throw APIKeyRejection.scope(scope, of: caller) }
    return caller
  }
}
