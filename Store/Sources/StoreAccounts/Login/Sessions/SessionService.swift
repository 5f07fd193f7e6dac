import Foundation
import OnsideAPI
package import StoreBase
import StoreWeb

/// Gives and takes back what apps act with: sessions, access tokens and refresh tokens.
package struct SessionService: Sendable {
  let database: any Database
  let clock: any StoreClock
  let clockSetting: SandboxClockSetting
  let random: any RandomSource
  let accessToken: VersionedKey<AccessTokenIssuer>
  let revokedSessions: RevokedSessions

  package init(
    _ dependencies: BaseDependencies, accessToken: VersionedKey<AccessTokenIssuer>, revokedSessions: RevokedSessions
  ) {
    database = dependencies.database
    clock = dependencies.clock
    clockSetting = SandboxClockSetting(dependencies)
    random = dependencies.random
    self.accessToken = accessToken
    self.revokedSessions = revokedSessions
  }

  /// Exchanges an authorization code; nil when it is not good for this caller.
  func exchange(_ redemption: CodeRedemption) async throws -> TokenMessage? {
    let now = try await currentTime()
    let (session, issuer) = (random.uuid7(at: now).lowercase, accessToken.current)
    let secret = random.bytes(32)
    let grant = try await database.write(at: now) { transaction -> SessionRecords.Grant? in
      let code = try AuthorizationCodeRecords.redeem(redemption, session: session, in: transaction)
      guard let code else { return nil }
      return try SessionRecords.open(
        session, account: code.account, appID: redemption.clientID, device: code.device, secret: secret, in: transaction
      )
    }
    // A code that came again has ended the session that it gave.
    if grant == nil { try await revokedSessions.reload() }
    return message(grant, by: issuer, at: now)
  }

  /// Exchanges a refresh token; nil when it is not good.
  func refresh(_ text: String, clientID: String) async throws -> TokenMessage? {
    guard let token = SessionRefreshToken(text) else { return nil }
    let (now, issuer) = (try await currentTime(), accessToken.current)
    let grant = try await database.write(at: now) { try SessionRecords.refresh(token, appID: clientID, in: $0) }
    // A token that was used before has ended its session.
    if grant == nil { try await revokedSessions.reload() }
    return message(grant, by: issuer, at: now)
  }

  /// Ends the session of a refresh or access token of this client; does nothing with any other text.
  func revoke(_ text: String, clientID: String) async throws {
    let now = clock.now()
    if let claims = accessToken.verify(text, now: now) {
      guard claims.appID == clientID else { return }
      try await database.write(at: now) { try SessionRecords.revoke(claims.sessionID, in: $0) }
    } else if let token = SessionRefreshToken(text) {
      try await database.write(at: now) { try SessionRecords.revoke(token, appID: clientID, in: $0) }
    } else {
      return
    }
    try await revokedSessions.reload()
  }

  /// The time by the newest setting of the sandbox's clock: a process that has read a later setting would refuse a
  /// token that is dated by an earlier one. Costs one read, in a sandbox.
  private func currentTime() async throws -> Date {
    try await clockSetting.reload()
    return clock.now()
  }

  /// - Parameter issuer: from before the write: a leak that ends the session after the write ends its token, too.
  private func message(_ grant: SessionRecords.Grant?, by issuer: AccessTokenIssuer, at now: Date) -> TokenMessage? {
    guard let grant else { return nil }
    let token = issuer.issue(
      accountID: grant.account.id.description, appID: grant.appID, sessionID: grant.session,
      generation: grant.generation, now: now)
    let subject = Customer(account: grant.account.id.description, app: grant.appID).subject
    let ownID = grant.isPairwise ? AccountID(subject: subject) : nil
    return TokenMessage(
      accessToken: token, expiresIn: Int(AccessTokenIssuer.lifetime), refreshToken: grant.refreshToken,
      accountID: ownID ?? grant.account.id, subject: subject, country: grant.account.country)
  }
}
