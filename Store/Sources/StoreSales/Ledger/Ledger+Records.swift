public import Foundation
import OnsideCommerce
public import StoreBase
import StorePayments

/// The table of the ledger.
extension Ledger {
  /// Inserts a row.
  static func insert(_ entry: Entry, in transaction: StoreTransaction) throws {
    try EntryColumns(entry: entry).insert(in: transaction)
  }

  /// The movements of an order.
  public static func entries(of order: UUID, in connection: any SQLConnection) throws -> [Entry] {
    let sql = "SELECT * FROM ledger WHERE order_id = $1 ORDER BY created_at, kind"
    return try connection.rows(sql, [.text(order.lowercase)]).map(Entry.init(row:))
  }

  /// The kinds of the rows of an order or payout.
  static func kinds(of cause: String, in connection: any SQLConnection) throws -> Set<String> {
    Set(try connection.rows("SELECT kind FROM ledger WHERE order_id = $1", [.text(cause)]).map { try $0.text("kind") })
  }

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

  /// What was booked of a provider's payouts since a time, by the provider's own ids. Their causes begin with its name
  /// and a colon, after which a semicolon comes in the order of bytes.
  static func providerPayouts(
    of provider: String, since start: Date, in connection: any SQLConnection
  ) throws -> [ProviderPayout] {
    let rows = try connection.rows(
      """
      SELECT p.order_id, p.debit, p.amount, p.currency, p.created_at, f.kind AS failed FROM ledger p
      LEFT JOIN ledger f ON f.order_id = p.order_id AND f.kind = 'provider_payout_failed'
      WHERE p.order_id >= $1 AND p.order_id < $2 AND p.kind = 'provider_payout' AND p.created_at >= $3
      ORDER BY p.order_id
      """, [.text("\(provider):"), .text("\(provider);"), .date(start)])
    return try rows.map { row in
      let isSent = try row.text("debit") == bank
      let amount = try row.integer("amount")
      return ProviderPayout(
        reference: String(try row.text("order_id").dropFirst(provider.utf8.count + 1)),
        amount: Money(minorUnits: isSent ? amount : -amount, currency: try row.currency("currency")),
        state: try row.optionalText("failed") == nil ? .paid : .failed, date: try row.date("created_at"))
    }
  }
}

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

extension Ledger.Entry {
  init(row: SQLRow) throws {
    orderID = try row.text("order_id")
    kind = try row.text("kind")
    debit = try row.text("debit")
    credit = try row.text("credit")
    amount = Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency"))
    date = try row.date("created_at")
    basisPoints = try row.optionalInteger("basis_points")
  }
}

/// The columns of the ledger.
private struct EntryColumns: TableRecord {
  static let table = "ledger"
  let entry: Ledger.Entry

  var key: Columns { ["order_id": .text(entry.orderID), "kind": .text(entry.kind)] }

  var fixed: Columns {
    [
      "debit": .text(entry.debit),
      "credit": .text(entry.credit),
      "amount": .integer(entry.amount.minorUnits),
      "currency": .text(entry.amount.currency.code),
      "created_at": .date(entry.date),
      "basis_points": entry.basisPoints.map { SQLValue.integer($0) } ?? .null,
    ]
  }
}
