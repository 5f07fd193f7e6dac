import Foundation
import StoreAccounts
import StoreBase

/// A visit of the page of payment methods, which an app has opened for its user.
struct MethodsSession: Sendable {
  /// A method whose saving waits for the buyer.
  struct Setup: Sendable, Hashable {
    /// Made by the store.
    let id: String
    /// The value of the provider's choice.
    let choice: String
    /// The provider's own id of it.
    let reference: String
  }

  /// The secret part of the page's address.
  let token: String
  let account: String
  let app: String
  /// The setup that waits; a newer one takes its place.
  let setup: Setup?
}

/// The table of the short-lived addresses of the page of payment methods.
enum MethodsSessionRecords {
  static let lifetime = HostedPageToken.lifetime

  static func insert(_ token: String, for customer: Customer, in transaction: StoreTransaction) throws {
    try transaction.deleteSome(from: "methods_sessions", where: "expires_at < $1", [.date(transaction.now)])
    try transaction.execute(
      "INSERT INTO methods_sessions(id, account_id, app_id, made_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
      [
        .text(token.sha256Base64URL), .text(customer.account), .text(customer.app), .date(transaction.now),
        .date(transaction.now + lifetime),
      ])
  }

  /// The session that a token was made for; nil when its time is over.
  static func session(_ token: String, in transaction: StoreTransaction) throws -> MethodsSession? {
    let row = try transaction.row(
      "SELECT * FROM methods_sessions WHERE id = $1 AND expires_at > $2",
      [.text(token.sha256Base64URL), .date(transaction.now)])
    return try row.map { row in
      MethodsSession(
        token: token, account: try row.text("account_id"), app: try row.text("app_id"), setup: try setup(row))
    }
  }

  /// Keeps a session for as long as a login on its way may take, until the last end of its address.
  static func extend(_ token: String, in transaction: StoreTransaction) throws {
    let id = SQLValue.text(token.sha256Base64URL)
    let row = try transaction.row("SELECT made_at FROM methods_sessions WHERE id = $1", [id])
    // A row of an earlier version does not say when it was made, and is not renewed.
    guard let madeAt = try row?.optionalDate("made_at") else { return }
    let end = min(transaction.now + LoginAttempt.lifetime + lifetime, madeAt + HostedPageToken.longestLifetime)
    try transaction.execute("UPDATE methods_sessions SET expires_at = $2 WHERE id = $1", [id, .date(end)])
  }

  /// Remembers the setup that waits for the buyer, or none.
  static func setSetup(_ setup: MethodsSession.Setup?, of token: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE methods_sessions SET setup_id = $2, setup_choice = $3, setup_reference = $4 WHERE id = $1",
      [.text(token.sha256Base64URL), .text(setup?.id), .text(setup?.choice), .text(setup?.reference)])
  }

  private static func setup(_ row: SQLRow) throws -> MethodsSession.Setup? {
    guard let id = try row.optionalText("setup_id"), let choice = try row.optionalText("setup_choice"),
      let reference = try row.optionalText("setup_reference")
    else { return nil }
    return MethodsSession.Setup(id: id, choice: choice, reference: reference)
  }
}
