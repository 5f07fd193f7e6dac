package import Hummingbird
package import OnsideAPI

/// The middleware that knows accounts, apps and sessions.
package protocol CallerMiddleware: Sendable {
  /// Authenticates a caller, and fills `claims` and `appID` of the context.
  func authentication(of caller: Route.Caller) -> any RouterMiddleware<StoreRequestContext>
  /// Records, behind the rate limit of the account, that an access token has arrived at its app.
  var confirmation: any RouterMiddleware<StoreRequestContext> { get }
}
