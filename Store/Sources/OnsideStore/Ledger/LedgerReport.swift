public import OnsideCommerce

/// What the books say in all.
public struct LedgerReport: Sendable {
  /// What one account of the books has received less what it has given, in one currency.
  public struct Balance: Sendable, Hashable {
    /// The account of the books.
    public var account: String
    /// The balance; negative when it has given more.
    public var amount: Money
  }

  /// The balances, by account and currency.
  public let balances: [Balance]

  /// Adds up the books.
  public init(_ connection: any SQLConnection) throws {
    let rows = try connection.rows(
      """
      SELECT account, currency, sum(amount) AS balance FROM (
        SELECT debit AS account, currency, amount FROM ledger
        UNION ALL SELECT credit, currency, -amount FROM ledger) AS movements
      GROUP BY account, currency ORDER BY account, currency
      """)
    balances = try rows.map { row in
      guard let currency = Currency(code: try row.text("currency")) else {
        throw StorageError.unexpectedValue(column: "currency", expected: "an ISO 4217 code")
      }
      return Balance(
        account: try row.text("account"), amount: Money(minorUnits: try row.integer("balance"), currency: currency))
    }
  }
}
