import Foundation
import Hummingbird
import OnsideAPI
package import StoreAccounts
package import StoreBase
import StoreWeb

/// A screen that an app opens for its user, by an address that names the account for 15 minutes. A visit that leads to
/// a login renews it, for a day at most. The app knows the address as well; therefore only a browser in which the
/// account is logged in sees the screen.
package struct HostedScreen: Sendable {
  /// The address of one screen, as it was opened.
  struct Opening: Sendable {
    let account: UUID
    /// The secret part of the address, which names the account.
    let token: String
    let app: String
    /// The way back into the app.
    let back: PageReturn
    /// The address with its query, for after a login: it is good for as long as that may take, and the time behind it.
    let path: String
  }

  /// The first part of the address.
  package let folder: String
  package let tokens: VersionedKey<HostedPageToken>
  package let seal: AccountTokenSeal
  package let responder: PageResponder
  package let logins: LoginService
  package let apps: AppDirectory

  package init(
    folder: String, tokens: VersionedKey<HostedPageToken>, seal: AccountTokenSeal, responder: PageResponder,
    logins: LoginService, apps: AppDirectory
  ) {
    self.folder = folder
    self.tokens = tokens
    self.seal = seal
    self.responder = responder
    self.logins = logins
    self.apps = apps
  }

  /// Answers an app with the address of the screen for its user. Purchases on the screen carry the token of the
  /// request.
  func address(_ request: Request, _ context: StoreRequestContext) async throws -> Response {
    let claims = try context.requireClaims()
    let body = try await request.body.collect(upTo: context.maxUploadSize).readableBytesView
    let token = try body.isEmpty ? nil : request.message(HostedPageRequest.self, body).appAccountToken
    try OrderService.check(token: token)
    let now = responder.clock.now()
    // An access token outlives its account by minutes.
    guard let account = UUID(text: claims.accountID),
      try await responder.database.read(at: now, { try AccountRecords.country(of: claims.accountID, in: $0) }) != nil
    else { throw Problem.notAuthenticated }
    let path = "/\(folder)/\(tokens.token(of: account, now: now))"
    var query = [URLQueryItem(name: "app", value: claims.customer.app)]
    if let token {
      query.append(URLQueryItem(name: PageReturn.buyerField, value: try seal.sealed(token, for: claims.customer)))
    }
    let url = responder.address.url(path: path).appending(queryItems: query)
    return try .json(HostedPageMessage(url: url), status: .created)
  }

  /// Reads an address that a browser has opened.
  ///
  /// - Parameter kept: the parameters of the screen's own, which a login keeps.
  func opening(
    _ request: Request, context: StoreRequestContext, keeping kept: [String] = []
  ) throws(PageProblem) -> Opening {
    let (query, token) = (request.queryFields, context.parameters.get("token") ?? "")
    let now = responder.clock.now()
    guard let app = query.single("app") else { throw .gone }
    let back = try PageReturn(query, app: apps.app(app))
    guard let known = tokens.read(token), now < known.end else { throw back.gone(to: apps.app(app)) }
    let own = kept.compactMap { name in query.single(name).map { (name, $0) } }
    let later = tokens.renewed(known, now: now, lifetime: LoginAttempt.lifetime + HostedPageToken.lifetime)
    let path = "/\(folder)/\(later)".appendingQuery([("app", app)] + own + back.fields)
    return Opening(account: known.id, token: token, app: app, back: back, path: path)
  }

  /// A login of the account that the screen is for, which leads back to it.
  func logIn(to opening: Opening, _ visit: PageVisit) async throws -> Response {
    try await responder.logInAgain(to: opening.path, with: logins, visit)
  }
}
