import Foundation
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
  /// Numbers the receipt of an order, if it waits for its number: a page or mail shows no paid order without it.
  func numberReceipt(of order: UUID) async throws {
    guard try await dependencies.database.read({ try ReceiptRecords.isWaiting(order, in: $0) }) else { return }
    try await assign()
  }
}
