package import OnsideCommerce
package import StoreBase

/// The change numbers of an account's orders, by which syncs of its devices go on.
package enum AccountChangeRecords {
  /// Numbers a change of an account's orders. A transaction that has taken a number holds the account's row until its
  /// end, so that the numbers of an account are committed in their order and without a gap: a sync that has read up to
  /// a number misses no smaller one. Other accounts do not wait.
  ///
  /// - Returns: 0 for the orders of a removed account, whose id no account has: no device syncs them.
  package static func next(of account: String, in transaction: StoreTransaction) throws -> Int64 {
    try transaction.row(
      "UPDATE accounts SET newest_change = newest_change + 1 WHERE id = $1 RETURNING newest_change", [.text(account)]
    )?.integer("newest_change") ?? 0
  }

  /// The region of an account and the number of its newest change; nil when the account was removed.
  package static func newest(
    of account: String, in connection: any SQLConnection
  ) throws -> (country: CountryCode, change: Int64)? {
    let row = try connection.row(
      "SELECT country, newest_change FROM accounts WHERE id = $1 AND removed_at IS NULL", [.text(account)])
    return try row.map { (try $0.country("country"), try $0.integer("newest_change")) }
  }

  /// The cursors of devices that have read all of some accounts. A removed account has none.
  ///
  /// - Parameter count: how many parameters the statement gets, so that it is one for any number of accounts.
  package static func cursors(
    of accounts: [String], count: Int, in connection: any SQLConnection
  ) throws -> [String: SyncCursor] {
    guard let last = accounts.last else { return [:] }
    let epoch = try SyncEpoch.current(in: connection)
    let ids = accounts + Array(repeating: last, count: max(0, count - accounts.count))
    let places = (1...ids.count).map { "$\($0)" }.joined(separator: ",")
    let rows = try connection.rows(
      "SELECT id, country, newest_change FROM accounts WHERE removed_at IS NULL AND id IN (\(places))",
      ids.map { .text($0) })
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let (country, change) = (try row.country("country"), try row.integer("newest_change"))
        return (try row.text("id"), SyncCursor(change: change, country: country, epoch: epoch))
      })
  }
}
