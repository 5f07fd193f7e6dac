package import StoreBase

/// How far accounts of a sandbox are ahead of the store.
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
