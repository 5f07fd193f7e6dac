package import Hummingbird
package import OnsideAPI

/// Makes the middleware that authenticates the callers of routes. `StoreWeb` reads no tokens, accounts or sessions.
package protocol CallerAuthentication: Sendable {
  /// Authenticates the caller of a route, and fills `claims`, `apiKey` and `appID` of the context.
  func middleware(for route: Route) -> any RouterMiddleware<StoreRequestContext>
  /// Records, behind the rate limit of the account, that an access token has arrived at its app.
  var sessionConfirmation: any RouterMiddleware<StoreRequestContext> { get }
}
