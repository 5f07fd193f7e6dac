import Foundation
import OnsideStore
import StoreBase

/// Purchases that are written by SQL: copies of one that was made over HTTP, with accounts, ids and times of their own.
/// The books balance, and the reconciliation finds no fault. A copy's receipt is that of the purchase it is made from.
struct CopiedPurchases: Sendable {
  /// How many one transaction writes: a store's statement on PostgreSQL may take ten seconds.
  private static let piece = 20_000
  /// The beginning of 2025 in milliseconds, and the length of that year: the purchases are spread over it.
  private static let year = (start: 1_735_689_600_000, length: 31_536_000_000)

  let count: Int
  /// How many accounts make them, in turns.
  let accounts: Int
  /// Sets these purchases and accounts apart from others in the same database.
  let mark: Int
  /// Whether they are written to PostgreSQL, where numbers become hexadecimal by another function than in SQLite.
  let isPostgres: Bool

  /// Writes them; returns their accounts, in the order of their ids.
  ///
  /// - Parameter template: the id of the purchase to copy: paid by the provider's event, and finished.
  func write(to database: any Database, like template: String) async throws -> [String] {
    let accounts = try await makeAccounts(in: database)
    for piece in Self.pieces(of: count) {
      let statements = statements(made(piece))
      try await database.write { connection in
        for sql in statements { try connection.execute(sql, [.text(template)]) }
      }
    }
    try await Self.analyze(["accounts", "orders", "payments", "ledger", "receipts"], in: database)
    for piece in Self.pieces(of: accounts.count) {
      try await database.write { connection in
        try connection.execute(
          """
          UPDATE accounts SET newest_change = (SELECT max(changed) FROM orders WHERE account_id = accounts.id)
          WHERE id BETWEEN $1 AND $2
          """, accounts[piece].ends)
      }
    }
    try await database.write { [count, receiptYear] connection in
      try connection.execute(
        """
        INSERT INTO receipt_counters(entity, year, newest)
        SELECT entity, \(receiptYear), \(count) FROM receipt_numbers WHERE order_id = $1
        """, [.text(template)])
    }
    return accounts
  }

  private func makeAccounts(in database: any Database) async throws -> [String] {
    let time = accountTime
    let id = id(at: "\(time)", tail: "\(tail) + n")
    for piece in Self.pieces(of: accounts) {
      try await database.write { connection in
        try connection.execute(
          """
          INSERT INTO accounts(id, country, created_at)
          WITH RECURSIVE \(Self.numbers(piece)) SELECT \(id), '\(ExampleShop.country)', \(time) FROM numbers
          """)
      }
    }
    return try await database.read { connection in
      try connection.rows("SELECT id FROM accounts WHERE created_at = \(time) ORDER BY id").map {
        try $0.text("id")
      }
    }
  }

  /// The ranges of numbers below the count that one transaction writes each.
  static func pieces(of count: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: piece).map { $0..<min($0 + piece, count) }
  }

  /// Counts the rows, as PostgreSQL does by itself a minute after so many have come: the planner knows nothing before.
  static func analyze(_ tables: [String], in database: any Database) async throws {
    for table in tables { try await database.write { try $0.execute("ANALYZE \(table)", []) } }
  }

  private var accountTime: Int { Self.year.start - mark * 1000 }
  private var receiptYear: Int { 2025 - mark }
  private var tail: Int { mark << 36 }

  /// The purchases of one piece, as a table: number, time, id, the payment's id, account.
  private func made(_ range: Range<Int>) -> String {
    """
    WITH RECURSIVE \(Self.numbers(range)),
      times(n, at) AS (SELECT n, \(Self.year.start) + n * \(Self.year.length / count) FROM numbers),
      made(n, at, id, payment, account) AS (
        SELECT n, at, \(id(at: "at", tail: "\(tail) + n")), \(id(at: "at", tail: "\(tail + 1 << 40) + n")),
          \(id(at: "\(accountTime)", tail: "\(tail) + n % \(accounts)")) FROM times)
    """
  }

  private static func numbers(_ range: Range<Int>) -> String {
    let first = "CAST(\(range.lowerBound) AS BIGINT)"
    return "numbers(n) AS (SELECT \(first) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < \(range.upperBound))"
  }

  /// A UUID of version 7, in SQL: a time in milliseconds, and a number for the rest.
  private func id(at time: String, tail: String) -> String {
    let parts = [
      ("", "\(time) >> 16", 8), ("-", "\(time) & 65535", 4), ("-7", "(\(tail)) & 4095", 3),
      ("-8", "(\(tail)) >> 12 & 4095", 3), ("-", tail, 12),
    ]
    return parts.map { start, number, digits in
      let hexadecimal = isPostgres ? "lpad(to_hex(\(number)), \(digits), '0')" : "printf('%0\(digits)x', \(number))"
      return "'\(start)' || \(hexadecimal)"
    }.joined(separator: " || ")
  }

  /// What is written for purchases that are `made`, from the template `$1`.
  private func statements(_ made: String) -> [String] {
    [
      """
      INSERT INTO orders(id, account_id, app_id, product_id, ordered_product, quantity, country, currency, amount,
        price_text, state, reason, language, created_at, paid_at, finished_at, payment_id, changed, held_by, held_at)
      \(made) SELECT m.id, m.account, o.app_id, o.product_id, o.ordered_product, o.quantity, o.country, o.currency,
        o.amount, o.price_text, o.state, o.reason, o.language, m.at, m.at, m.at, m.payment,
        2 * m.n + 2, o.held_by, o.held_at
      FROM made m CROSS JOIN orders o WHERE o.id = $1
      """,
      """
      INSERT INTO payments(
        id, order_id, provider, method, amount, currency, state, created_at, step, renewal_agreed_by)
      \(made) SELECT m.payment, m.id, p.provider, p.method, p.amount, p.currency, p.state, m.at, p.step,
        p.renewal_agreed_by
      FROM made m CROSS JOIN payments p WHERE p.order_id = $1
      """,
      """
      INSERT INTO provider_events(provider, id, received_at)
      \(made) SELECT p.provider, m.payment, m.at FROM made m CROSS JOIN payments p WHERE p.order_id = $1
      """,
      """
      INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at, basis_points)
      \(made) SELECT m.id, l.kind, l.debit, l.credit, l.amount, l.currency, m.at, l.basis_points
      FROM made m CROSS JOIN ledger l WHERE l.order_id = $1
      """,
      """
      INSERT INTO order_taxes(order_id, country, basis_points, number_country, card_country, is_weak)
      \(made) SELECT m.id, t.country, t.basis_points, t.number_country, t.card_country, t.is_weak
      FROM made m CROSS JOIN order_taxes t WHERE t.order_id = $1
      """,
      """
      INSERT INTO receipt_numbers(order_id, entity, year, number, sold_at)
      \(made) SELECT m.id, r.entity, \(receiptYear), m.n + 1, m.at
      FROM made m CROSS JOIN receipt_numbers r WHERE r.order_id = $1
      """,
      """
      INSERT INTO receipts(order_id, jws)
      \(made) SELECT m.id, r.jws FROM made m CROSS JOIN receipts r WHERE r.order_id = $1
      """,
    ]
  }
}

extension ArraySlice<String> {
  /// The first and the last, as SQL's BETWEEN takes them.
  var ends: [SQLValue] { [first, last].compactMap { $0.map(SQLValue.text) } }
}
