public import Foundation
public import OnsideCommerce
public import StoreBase

/// The balance of an account of the ledger in one currency: what it received less what it gave.
public struct LedgerBalance: Sendable, Hashable {
  /// The account.
  public let account: LedgerAccount
  /// Positive for what the store has, negative for what it owes or earned.
  public let amount: Money
}

extension Ledger {
  /// The balances of all accounts in all currencies, ordered by path and currency; those of zero are left out.
  ///
  /// - Parameter end: only rows from before this time count; nil counts all.
  public static func balances(before end: Date? = nil, in connection: any SQLConnection) throws -> [LedgerBalance] {
    let rows = try connection.rows(
      """
      SELECT account, currency, CAST(sum(amount) AS BIGINT) AS amount FROM (
        SELECT debit AS account, currency, amount FROM ledger WHERE created_at < $1
        UNION ALL SELECT credit, currency, -amount FROM ledger WHERE created_at < $1) AS movements
      GROUP BY account, currency HAVING sum(amount) <> 0
      """, [end.map { .date($0) } ?? .integer(Int64.max)])
    return try rows.map { row in
      LedgerBalance(
        account: try LedgerAccount(try row.text("account")),
        amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")))
    }.sorted { ($0.account.path, $0.amount.currency.code) < ($1.account.path, $1.amount.currency.code) }
  }
}
