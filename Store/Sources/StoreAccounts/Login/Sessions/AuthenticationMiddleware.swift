import HTTPTypes
import Hummingbird
package import OnsideAPI
package import StoreBase
import StoreWeb

/// Authenticates the caller as the route asks for it: fills the account and the app of the context, or refuses the
/// request.
package struct AuthenticationMiddleware: RouterMiddleware {
  package let caller: Route.Caller
  package let accessToken: VersionedKey<AccessTokenIssuer>
  package let apps: AppDirectory
  package let revokedSessions: RevokedSessions
  package let credentials: ServerCredentials
  package let clock: any StoreClock

  package init(
    caller: Route.Caller, accessToken: VersionedKey<AccessTokenIssuer>, apps: AppDirectory,
    revokedSessions: RevokedSessions, credentials: ServerCredentials, clock: any StoreClock
  ) {
    self.caller = caller
    self.accessToken = accessToken
    self.apps = apps
    self.revokedSessions = revokedSessions
    self.credentials = credentials
    self.clock = clock
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    var authenticated = context
    try await authenticate(request, context: &authenticated)
    return try await next(request, authenticated)
  }

  private func authenticate(_ request: Request, context: inout StoreRequestContext) async throws {
    switch caller {
    case .anyone, .browser, .provider, .device:
      return
    case .merchant:
      guard let id = try await credentials.app(request.headers[.authorization]), let app = apps.app(id) else {
        throw Problem.notAuthenticated
      }
      context.appID = app.id
    case .apiKey, .merchantToken:
      // `APIKeyMiddleware` and `MerchantTokenMiddleware` authenticate these routes; here nobody may call them.
      throw Problem.notAuthenticated
    case .account:
      guard let claims = try claims(of: request) else { throw Problem.notAuthenticated }
      context.claims = claims
      context.appID = try registered(claims.appID).id
    case .app:
      context.claims = try claims(of: request)
      guard let id = context.claims?.appID ?? request.headers[.onsideApp] else {
        throw Problem.invalidRequest("Expected the header \(WireHeader.app) with the app's identifier.")
      }
      context.appID = try registered(id).id
    }
  }

  private func registered(_ id: String) throws(Problem) -> App {
    guard let app = apps.app(id) else { throw .appNotRegistered }
    return app
  }

  /// What the access token says; nil without one. A token that is not valid is refused, never ignored.
  private func claims(of request: Request) throws(Problem) -> AccessClaims? {
    guard let header = request.headers[.authorization] else { return nil }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer",
      let claims = accessToken.verify(parts[1], now: clock.now()), !revokedSessions.contains(claims.sessionID)
    else { throw .notAuthenticated }
    return claims
  }
}
