import Foundation
import OnsideAPI
import StoreBase

/// The table of sessions: one for each login of an app to an account.
enum SessionRecords {
  /// How long the previous refresh token still returns the current one after the current one's first use, in seconds.
  static let successorWindow: TimeInterval = 30
  /// The idle timeout of a session, in seconds: a session that is not refreshed for so long has ended.
  static let idleLifetime: TimeInterval = 180 * 86400
  /// The absolute lifetime of a session, in seconds from the login.
  static let longestLifetime: TimeInterval = 4 * 365 * 86400

  /// The fields of a session that its tokens are made from.
  struct Grant: Sendable {
    var session: String
    var account: Account
    var appID: String
    var generation: Int64
    var refreshToken: String
    /// Whether the app knows the account by its subject alone. Sessions of earlier versions were given the account's
    /// id.
    var isPairwise: Bool
  }

  static func open(
    _ id: String, account: AccountID, appID: String, device: String?, secret: [UInt8], in transaction: StoreTransaction
  ) throws -> Grant? {
    guard let account = try AccountRecords.account(id: account, in: transaction), !account.isRemoved else { return nil }
    try transaction.execute(
      """
      INSERT INTO sessions(id, account_id, app_id, secret, generation, rotated_at, created_at, device, is_pairwise)
      VALUES ($1, $2, $3, $4, 1, $5, $5, $6, 1)
      """,
      [.text(id), .text(account.id.description), .text(appID), .blob(secret), .date(transaction.now), .text(device)])
    let token = SessionRefreshToken.make(session: id, generation: 1, secret: secret)
    return Grant(
      session: id, account: account, appID: appID, generation: 1, refreshToken: token, isPairwise: true)
  }

  /// Refresh token rotation: the grant with the successor of a refresh token; nil when the token is not valid.
  ///
  /// The current token is replaced by its successor. Since the answer may have been lost, the previous token returns
  /// the same successor again until the successor's first use and for ``successorWindow`` after it. An older token was
  /// stolen or copied: the store cannot tell the app from the attacker, and ends the session.
  static func refresh(_ token: SessionRefreshToken, appID: String, in transaction: StoreTransaction) throws -> Grant? {
    let live = "SELECT * FROM sessions WHERE id = $1 AND created_at > \(StoreSecretRecords.lastLeak)"
    guard let row = try transaction.row(live, [.text(token.session)]) else { return nil }
    let secret = try row.blob("secret")
    guard token.isMade(with: secret), try row.text("app_id") == appID, try row.optionalDate("revoked_at") == nil,
      let accountID = AccountID(try row.text("account_id"))
    else { return nil }
    var generation = try row.integer("generation")
    let isAlive =
      try min(row.date("rotated_at") + idleLifetime, row.date("created_at") + longestLifetime)
      > transaction.now
    let isArrived = try row.optionalDate("confirmed_at").map { $0 + successorWindow < transaction.now } ?? false
    switch token.generation {
    // Only the store makes tokens: a token of a later generation was issued before a backup was restored.
    case generation... where isAlive:
      generation = token.generation + 1
      try transaction.execute(
        "UPDATE sessions SET generation = $2, rotated_at = $3, confirmed_at = NULL WHERE id = $1",
        [.text(token.session), .integer(generation), .date(transaction.now)])
    case generation - 1 where isAlive && !isArrived: break
    default:
      try revoke(token.session, in: transaction)
      return nil
    }
    guard let account = try AccountRecords.account(id: accountID, in: transaction), !account.isRemoved else {
      return nil
    }
    let successor = SessionRefreshToken.make(session: token.session, generation: generation, secret: secret)
    return Grant(
      session: token.session, account: account, appID: appID, generation: generation, refreshToken: successor,
      isPairwise: try row.integer("is_pairwise") == 1)
  }

  /// True when a generation is a session's current one and no use of it is recorded.
  static func isUnconfirmed(_ session: String, generation: Int64, in connection: any SQLConnection) throws -> Bool {
    let sql = "SELECT 1 AS one FROM sessions WHERE id = $1 AND generation = $2 AND confirmed_at IS NULL"
    return try connection.row(sql, [.text(session), .integer(generation)]) != nil
  }

  /// Records the first use of a generation's tokens, which shows that they have arrived.
  static func confirm(_ session: String, generation: Int64, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE sessions SET confirmed_at = $3 WHERE id = $1 AND generation = $2 AND confirmed_at IS NULL",
      [.text(session), .integer(generation), .date(transaction.now)])
  }

  /// The sessions that were revoked since a time.
  static func revoked(since: Date, in connection: any SQLConnection) throws -> Set<String> {
    Set(try connection.rows("SELECT id FROM sessions WHERE revoked_at > $1", [.date(since)]).map { try $0.text("id") })
  }

  static func revoke(_ id: String, in transaction: StoreTransaction) throws {
    let count = try transaction.execute(
      "UPDATE sessions SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", [.text(id), .date(transaction.now)])
    if count > 0 { try RevisionRecords.raise(.revokedSessions, in: transaction) }
  }

  static func revoke(_ token: SessionRefreshToken, appID: String, in transaction: StoreTransaction) throws {
    guard let row = try transaction.row("SELECT secret, app_id FROM sessions WHERE id = $1", [.text(token.session)]),
      try row.text("app_id") == appID, token.isMade(with: try row.blob("secret"))
    else { return }
    try revoke(token.session, in: transaction)
  }
}
