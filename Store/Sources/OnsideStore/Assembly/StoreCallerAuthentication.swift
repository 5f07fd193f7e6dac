import Hummingbird
import OnsideAPI
import StoreAccounts
import StoreBase
import StoreWeb

/// Authentication by the store's access tokens, apps and servers' credentials.
struct StoreCallerAuthentication: CallerAuthentication {
  private let core: StoreCore
  private let confirmations: SessionConfirmations

  init(_ core: StoreCore) {
    self.core = core
    confirmations = SessionConfirmations(database: core.dependencies.database, clock: core.dependencies.clock)
  }

  func middleware(for caller: Route.Caller) -> any RouterMiddleware<StoreRequestContext> {
    AuthenticationMiddleware(
      caller: caller, accessToken: core.accessToken, apps: core.apps, revokedSessions: core.revokedSessions,
      credentials: ServerCredentials(core.dependencies.base), clock: core.dependencies.clock)
  }

  var sessionConfirmation: any RouterMiddleware<StoreRequestContext> {
    SessionConfirmationMiddleware(confirmations: confirmations)
  }
}
