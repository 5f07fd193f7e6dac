import Foundation
import StoreBase

/// The table of receipts with their numbers, and that of the counters. Every call runs inside the caller's transaction.
enum ReceiptRecords {
  /// Writes the receipt of a sale, which waits for its number.
  ///
  /// - Parameter entity: the short name of the legal entity that sells.
  static func add(_ order: UUID, entity: String, in transaction: StoreTransaction) throws {
    let year = Calendar.utc.component(.year, from: transaction.now)
    try transaction.execute(
      "INSERT INTO receipt_numbers(order_id, entity, year, sold_at) VALUES ($1, $2, $3, $4)",
      [.text(order.lowercase), .text(entity), .integer(year), .date(transaction.storeNow)])
  }

  /// The number of an order's receipt; nil when it was not paid, cost nothing, or was paid before receipts had numbers,
  /// and while it waits for its number.
  static func number(of order: UUID, in connection: any SQLConnection) throws -> ReceiptNumber? {
    try connection.row(
      "SELECT entity, year, number FROM receipt_numbers WHERE order_id = $1 AND number IS NOT NULL",
      [.text(order.lowercase)]
    ).map(number)
  }

  /// Whether an order has a receipt, with a number or waiting for it.
  static func hasReceipt(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT year FROM receipt_numbers WHERE order_id = $1", [.text(order.lowercase)]) != nil
  }

  /// Records the failure of the mail with an order's receipt; nil for a delivery.
  static func setMailFailure(_ reason: String?, of order: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE receipt_numbers SET mail_failure = $2, mail_failed_at = $3 WHERE order_id = $1",
      [.text(order.lowercase), .text(reason), .date(reason.map { _ in transaction.storeNow })])
  }

  /// The receipts whose mail failed since a time, the oldest failure first.
  static func undelivered(since start: Date, in connection: any SQLConnection) throws -> [UndeliveredReceipt] {
    try connection.rows(
      "SELECT * FROM receipt_numbers WHERE mail_failed_at >= $1 ORDER BY mail_failed_at, order_id", [.date(start)]
    ).map { row in
      UndeliveredReceipt(
        number: try number(row).description, orderID: try row.uuid("order_id"),
        reason: try row.optionalText("mail_failure") ?? "",
        failedAt: try row.date("mail_failed_at"))
    }
  }

  private static func number(_ row: SQLRow) throws -> ReceiptNumber {
    ReceiptNumber(entity: try row.text("entity"), year: try row.integer("year"), number: try row.integer("number"))
  }
}

/// The numbers of waiting receipts.
extension ReceiptRecords {
  /// The receipts of a legal entity and year, which are numbered from 1.
  struct Series: Sendable {
    fileprivate let entity: String
    fileprivate let year: Int64
    fileprivate var key: [SQLValue] { [.text(entity), .integer(year)] }
  }

  /// Whether the receipt of an order waits for its number.
  static func isWaiting(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    try connection.row(
      "SELECT year FROM receipt_numbers WHERE order_id = $1 AND number IS NULL", [.text(order.lowercase)]) != nil
  }

  /// Whether any receipt waits for its number.
  static func isAnyWaiting(in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT year FROM receipt_numbers WHERE number IS NULL LIMIT 1") != nil
  }

  /// The series with waiting receipts, in an order that all processes share: none of two waits for the other's counter.
  static func waitingSeries(in transaction: StoreTransaction) throws -> [Series] {
    try transaction.rows(
      "SELECT entity, year FROM receipt_numbers WHERE number IS NULL GROUP BY entity, year ORDER BY entity, year"
    ).map { Series(entity: try $0.text("entity"), year: try $0.integer("year")) }
  }

  /// Numbers the earliest waiting receipts of a series; returns how many. The first statement locks the counter, and
  /// the next one sees what was committed before it had the lock: no number is missing, and none is there twice.
  static func assignNumbers(of series: Series, limit: Int, in transaction: StoreTransaction) throws -> Int {
    let counter = try transaction.row(
      """
      INSERT INTO receipt_counters(entity, year, newest) VALUES ($1, $2, 0)
      ON CONFLICT(entity, year) DO UPDATE SET newest = receipt_counters.newest RETURNING newest
      """, series.key)
    guard let newest = try counter?.integer("newest") else {
      throw StorageError.unexpectedValue(column: "newest", expected: "the newest number")
    }
    let count = try transaction.execute(
      """
      UPDATE receipt_numbers SET number = $3 + waiting.place FROM (
        SELECT order_id AS id, row_number() OVER (ORDER BY sold_at, order_id) AS place FROM receipt_numbers
        WHERE entity = $1 AND year = $2 AND number IS NULL ORDER BY sold_at, order_id LIMIT $4) AS waiting
      WHERE order_id = waiting.id
      """, series.key + [.integer(newest), .integer(limit)])
    guard count > 0 else { return 0 }
    try transaction.execute(
      "UPDATE receipt_counters SET newest = $3 WHERE entity = $1 AND year = $2",
      series.key + [.integer(newest + Int64(count))])
    return count
  }
}

extension Calendar {
  fileprivate static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
