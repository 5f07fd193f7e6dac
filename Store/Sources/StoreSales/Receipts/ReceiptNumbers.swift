import Foundation
import Logging
package import StoreBase

/// Receipts, which are numbered for each legal entity and year in the order of their sales.
package struct ReceiptNumbers: NumberedRows {
  package init() {}

  package var name: String { "receipts" }

  package func isWaiting(in connection: any SQLConnection) throws -> Bool {
    try ReceiptRecords.isAnyWaiting(in: connection)
  }

  package func assignNumbers(limit: Int, in transaction: StoreTransaction) throws -> Int {
    var count = 0
    for series in try ReceiptRecords.waitingSeries(in: transaction) where count < limit {
      count += try ReceiptRecords.assignNumbers(of: series, limit: limit - count, in: transaction)
    }
    return count
  }
}

extension Sequencer {
  /// Numbers the receipt of an order, and those that were sold before it, if it waits for its number.
  func numberReceipt(of order: UUID) async throws {
    guard try await dependencies.database.read({ try ReceiptRecords.isWaiting(order, in: $0) }) else { return }
    try await assign(ReceiptNumbers())
  }

  /// Numbers the receipt of an order for a page, which is shown without the number when it cannot be written.
  func tryNumberReceipt(of order: UUID) async {
    do { try await numberReceipt(of: order) } catch {
      dependencies.logger.warning(
        "a receipt is shown without its number",
        metadata: ["order": "\(order.lowercase)", "error": "\(error.loggedName)"])
    }
  }
}
