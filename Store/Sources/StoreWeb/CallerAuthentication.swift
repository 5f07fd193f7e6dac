package import Hummingbird
package import OnsideAPI

/// Makes the middleware that authenticates the callers of routes. `StoreWeb` reads no tokens, accounts or sessions.
package protocol CallerAuthentication: Sendable {
  /// Authenticates a caller, and fills `claims` and `appID` of the context.
  func middleware(for caller: Route.Caller) -> any RouterMiddleware<StoreRequestContext>
  /// Records, behind the rate limit of the account, that an access token has arrived at its app.
  var sessionConfirmation: any RouterMiddleware<StoreRequestContext> { get }
}
