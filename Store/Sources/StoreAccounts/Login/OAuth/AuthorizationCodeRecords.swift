import Foundation
import OnsideAPI
import StoreBase

/// The table of authorization codes: bound to client, redirect address and verifier, good once and for a minute.
enum AuthorizationCodeRecords {
  static let lifetime: TimeInterval = 60

  static func insert(
    _ code: String, request: AuthorizationRequest, account: AccountID, device: String?,
    in transaction: StoreTransaction
  ) throws {
    // Used codes are kept for a day, so that a replay is known for one.
    try transaction.deleteSome(from: "authorization_codes", where: "created_at < $1", [.date(transaction.now - 86400)])
    try transaction.execute(
      """
      INSERT INTO authorization_codes(id, app_id, redirect_uri, code_challenge, account_id, created_at, device)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(code.sha256Base64URL), .text(request.clientID), .text(request.redirectURI), .text(request.codeChallenge),
        .text(account.description), .date(transaction.now), .text(device),
      ])
  }

  /// Redeems a code: returns its account, and the device that it was issued on; nil when it is not valid for this
  /// client. A code that was used before revokes the session that it opened.
  static func redeem(
    _ redemption: CodeRedemption, session: String, in transaction: StoreTransaction
  ) throws -> (account: AccountID, device: String?)? {
    let id = SQLValue.text(redemption.code.sha256Base64URL)
    let live = "SELECT * FROM authorization_codes WHERE id = $1 AND created_at > \(StoreSecretRecords.lastLeak)"
    guard let row = try transaction.row(live, [id]) else { return nil }
    if let session = try row.optionalText("session_id") {
      try SessionRecords.revoke(session, in: transaction)
      return nil
    }
    guard try row.date("created_at") + lifetime > transaction.now,
      try row.text("app_id") == redemption.clientID,
      try row.text("redirect_uri") == redemption.redirectURI,
      redemption.proves(try row.text("code_challenge"))
    else { return nil }
    try transaction.execute("UPDATE authorization_codes SET session_id = $2 WHERE id = $1", [id, .text(session)])
    guard let account = AccountID(try row.text("account_id")) else { return nil }
    return (account, try row.optionalText("device"))
  }
}
