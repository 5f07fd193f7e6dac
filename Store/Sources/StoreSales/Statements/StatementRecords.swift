import OnsideCommerce
public import StoreBase

extension Statement {
  /// The statement of an app and month.
  public init(of app: String, in month: StatementMonth, from connection: any SQLConnection) throws {
    let account = "app:\(app)"
    let rows = try connection.rows(
      """
      SELECT l.*, o.product_id, o.country FROM ledger l LEFT JOIN orders o ON o.id = l.order_id
      WHERE l.created_at >= $1 AND l.created_at < $2 AND (l.debit = $3 OR l.credit = $3)
      ORDER BY l.created_at, l.order_id, l.kind
      """, [.date(month.start), .date(month.end), .text(account)])
    let lines = try rows.map { row in
      let entry = try Ledger.Entry(row: row)
      let sign: Int64 = entry.credit == account ? 1 : -1
      return Line(
        date: entry.date, cause: entry.orderID, kind: entry.kindName, product: try row.optionalText("product_id"),
        country: try row.optionalText("country"),
        amount: Money(minorUnits: sign * entry.amount.minorUnits, currency: entry.amount.currency))
    }
    let opening = try Ledger.balances(before: month.start, in: connection)
      .filter { $0.account.name == account }
      .map { try Money.zero($0.amount.currency).subtracting($0.amount) }
    self.init(app: app, month: month, opening: opening, lines: lines)
  }
}
