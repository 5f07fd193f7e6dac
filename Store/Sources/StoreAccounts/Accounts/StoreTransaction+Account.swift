package import Foundation
import OnsideCommerce
package import StoreBase

/// The time of an account: the store's, and in a sandbox as far ahead of it as a developer has moved the account. What
/// becomes of an account's purchases carries it; sessions, limits and everything that the store itself does carry the
/// store's. It is read in the transaction that uses it: no process has an older one.
extension StoreTransaction {
  /// The same transaction at an account's time. An account that was removed has the store's, as has everyone in
  /// production.
  package func at(timeOf account: String, in environment: StoreEnvironment) throws -> StoreTransaction {
    guard environment == .sandbox else { return self }
    return ahead(byMilliseconds: try AccountRecords.millisecondsAhead(of: account, in: self) ?? 0)
  }
}

extension BaseDependencies {
  /// An account's time.
  package func now(of account: String) async throws -> Date {
    let now = clock.now()
    guard environment == .sandbox else { return now }
    return try await database.read(at: now) { [environment] in try $0.at(timeOf: account, in: environment).now }
  }

  /// Reads a consistent state, as of an account's time.
  package func read<T: Sendable>(
    for account: String, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await database.read(at: clock.now()) { [environment] in
      try body($0.at(timeOf: account, in: environment))
    }
  }

  /// Runs a write transaction at an account's time.
  package func write<T: Sendable>(
    for account: String, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await database.write(at: clock.now()) { [environment] in
      try body($0.at(timeOf: account, in: environment))
    }
  }
}

extension AccountRecords {
  /// How far an account is ahead of the store; nil when there is none, or it was removed.
  package static func millisecondsAhead(of account: String, in connection: any SQLConnection) throws -> Int64? {
    try connection.row("SELECT ahead_ms FROM accounts WHERE id = $1 AND removed_at IS NULL", [.text(account)])?
      .integer("ahead_ms")
  }

  /// Moves an account. What is due for it next moves with it: it is written in the store's time.
  package static func setAhead(of account: String, milliseconds: Int64, in transaction: StoreTransaction) throws {
    let before = try millisecondsAhead(of: account, in: transaction) ?? 0
    _ = try AccountChangeRecords.next(of: account, in: transaction)
    try transaction.execute(
      "UPDATE accounts SET ahead_ms = $2 WHERE id = $1", [.text(account), .integer(milliseconds)])
    for column in ["wakes_at", "notice_due_at"] {
      try transaction.execute(
        "UPDATE subscriptions SET \(column) = \(column) - $2 WHERE account_id = $1 AND \(column) IS NOT NULL",
        [.text(account), .integer(milliseconds - before)])
    }
  }

  /// How far the account that is or was furthest ahead is, in milliseconds: no order is of a later time.
  package static func furthestAhead(in connection: any SQLConnection) throws -> Int64 {
    try connection.row("SELECT max(ahead_ms) AS ahead FROM accounts WHERE ahead_ms > 0")?.optionalInteger("ahead") ?? 0
  }
}
