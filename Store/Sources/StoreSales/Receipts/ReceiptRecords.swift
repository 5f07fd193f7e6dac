import Foundation
import StoreBase

/// The table of receipt numbers and their counters. Every call runs inside the caller's transaction.
enum ReceiptRecords {
  /// Gives an order the next number of a legal entity and the year. Both engines have one writer at a time, and a write
  /// that fails takes its count back: no number is missing, and none is there twice.
  @discardableResult
  static func assignNumber(to order: UUID, entity: String, in transaction: StoreTransaction) throws -> ReceiptNumber {
    let year = Int64(Calendar.utc.component(.year, from: transaction.now))
    let row = try transaction.row(
      """
      INSERT INTO receipt_counters(entity, year, newest) VALUES ($1, $2, 1)
      ON CONFLICT(entity, year) DO UPDATE SET newest = receipt_counters.newest + 1 RETURNING newest
      """, [.text(entity), .integer(year)])
    guard let number = try row?.integer("newest") else {
      throw StorageError.unexpectedValue(column: "newest", expected: "the next number")
    }
    try transaction.execute(
      "INSERT INTO receipt_numbers(order_id, entity, year, number) VALUES ($1, $2, $3, $4)",
      [.text(order.lowercase), .text(entity), .integer(year), .integer(number)])
    return ReceiptNumber(entity: entity, year: year, number: number)
  }

  /// The number of an order's receipt; nil when it was not paid, cost nothing, or was paid before receipts had numbers.
  static func number(of order: UUID, in connection: any SQLConnection) throws -> ReceiptNumber? {
    try connection.row("SELECT entity, year, number FROM receipt_numbers WHERE order_id = $1", [.text(order.lowercase)])
      .map(number)
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

extension Calendar {
  fileprivate static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
