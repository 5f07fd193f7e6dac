import Foundation
import StoreAccounts
import StoreBase

/// Orders that are not paid.
extension OrderRecords {
  /// The creation date of a customer's `count`th newest order since a time that is not paid, or is a duplicate; nil if
  /// there are fewer.
  func creationDate(
    ofUnpaid count: Int, of customer: Customer, since time: Date, in connection: any SQLConnection
  ) throws -> Date? {
    let row = try connection.row(
      """
      SELECT created_at FROM orders
      WHERE account_id = $1 AND app_id = $2 AND created_at > $3 AND (state <> 'paid' OR duplicate_of IS NOT NULL)
      ORDER BY created_at DESC LIMIT 1 OFFSET $4
      """, [.text(customer.account), .text(customer.app), .date(time), .integer(count - 1)])
    return try row?.date("created_at")
  }

  /// Deletes some cancelled orders without a payment that were made before a time; returns how many.
  static func clear(unpaidMadeBefore time: Date, in connection: any SQLConnection) throws -> Int {
    try connection.execute(
      """
      DELETE FROM orders WHERE state = 'cancelled' AND payment_id IS NULL AND id IN (
        SELECT o.id FROM orders o
        WHERE o.state = 'cancelled' AND o.payment_id IS NULL AND o.reason <> 'RENEWAL' AND o.created_at < $1
          AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.id)
        ORDER BY o.created_at LIMIT \(Retention.limit))
      """, [.date(time)])
  }
}

extension Migration {
  static let unpaidOrders = [
    Migration(
      336, name: "indexes of unpaid orders",
      sql: """
        CREATE INDEX orders_unpaid ON orders(account_id, app_id, created_at)
          WHERE (state <> 'paid' OR duplicate_of IS NOT NULL);
        CREATE INDEX orders_cancelled ON orders(created_at)
          WHERE state = 'cancelled' AND payment_id IS NULL AND reason <> 'RENEWAL';
        """)
  ]
}
