import Foundation
import OnsideCommerce
import StoreBase

/// The ledger in the order of time, some rows at a time.
extension Ledger {
  /// A place in the ledger's order of time.
  struct Position: Sendable {
    fileprivate var milliseconds: Int64
    fileprivate var order = ""
    fileprivate var kind = ""

    /// Before all rows from a time on.
    init(at start: Date?) { milliseconds = start?.millisecondsSince1970 ?? .min }

    /// The place of a row.
    init(_ entry: Entry) {
      (milliseconds, order, kind) = (entry.date.millisecondsSince1970, entry.orderID, entry.kind)
    }
  }

  /// Rows of the ledger behind a place and before a time, in the order of time, order and kind.
  static func entries(
    after position: Position, before end: Date?, limit: Int, in connection: any SQLConnection
  ) throws -> [Entry] {
    try connection.rows(
      """
      SELECT * FROM ledger WHERE (created_at, order_id, kind) > ($1, $2, $3) AND created_at < $4
      ORDER BY created_at, order_id, kind LIMIT \(limit)
      """,
      [
        .integer(position.milliseconds), .text(position.order), .text(position.kind),
        end.map { .date($0) } ?? .integer(Int64.max),
      ]
    ).map(Entry.init(row:))
  }

  /// The accounts and currencies that the rows of a period have.
  static func names(
    from start: Date?, until end: Date?, in connection: any SQLConnection
  ) throws -> (accounts: Set<String>, currencies: Set<Currency>) {
    let rows = try connection.rows(
      "SELECT DISTINCT debit, credit, currency FROM ledger WHERE created_at >= $1 AND created_at < $2",
      [start.map { .date($0) } ?? .integer(Int64.min), end.map { .date($0) } ?? .integer(Int64.max)])
    return try rows.reduce(into: ([], [])) { names, row in
      names.0.formUnion([try row.text("debit"), try row.text("credit")])
      names.1.insert(try row.currency("currency"))
    }
  }
}
