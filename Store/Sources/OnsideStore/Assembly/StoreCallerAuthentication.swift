import Hummingbird
import OnsideAPI
import StoreAccounts
import StoreBase
import StoreMerchants
import StoreWeb

/// Authentication by the store's access tokens, apps, servers' credentials, API keys and JWTs.
struct StoreCallerAuthentication: CallerAuthentication {
  private let core: StoreCore
  private let confirmations: SessionConfirmations
  private let rejectedKeys = RateLimiter(APIKeyMiddleware.failureLimit)

  init(_ core: StoreCore) {
    self.core = core
    confirmations = SessionConfirmations(database: core.dependencies.database, clock: core.dependencies.clock)
  }

  func middleware(for route: Route) -> any RouterMiddleware<StoreRequestContext> {
    if let scope = route.scope {
      return APIKeyMiddleware(
        route: route, scope: scope, keys: core.apiKeys, failures: rejectedKeys,
        proxies: core.dependencies.configuration.proxies, dependencies: core.dependencies.base)
    }
    if route.caller == .merchantToken {
      return MerchantTokenMiddleware(
        secrets: core.merchantSecrets, failures: rejectedKeys, proxies: core.dependencies.configuration.proxies,
        clock: core.dependencies.clock)
    }
    return AuthenticationMiddleware(
      caller: route.caller, accessToken: core.accessToken, apps: core.apps, revokedSessions: core.revokedSessions,
      credentials: ServerCredentials(core.dependencies.base), clock: core.dependencies.clock)
  }

  var sessionConfirmation: any RouterMiddleware<StoreRequestContext> {
    SessionConfirmationMiddleware(confirmations: confirmations)
  }
}
