import Foundation
import StoreAccounts
import StoreBase
import StoreWeb

/// Bounds of orders that are not paid.
extension OrderService {
  /// The period in which an account's unpaid orders are counted, in seconds.
  private static let unpaidWindow: TimeInterval = 86_400
  /// The seconds from the end of an order's lifetime to its deletion, if no provider was asked for its money.
  static let unpaidRetention: TimeInterval = 30 * 86_400

  /// Throws ``OrderError/tooManyUnpaid(limit:retryAfter:)`` if an account has too many unpaid orders of 24 hours in an
  /// app. Cancelled orders count, so that cancelling makes no room; so do orders of owned products, which cost nothing.
  func checkUnpaidLimit(of customer: Customer, in transaction: StoreTransaction) throws {
    let start = transaction.now - Self.unpaidWindow
    guard let oldest = try records.creationDate(ofUnpaid: unpaidLimit, of: customer, since: start, in: transaction)
    else {
      return
    }
    let wait = oldest.timeIntervalSince(start).rounded(.up)
    throw OrderError.tooManyUnpaid(limit: unpaidLimit, retryAfter: max(1, Int(wait)))
  }

  /// Deletes cancelled orders 30 days after the end of their lifetime, if no provider was asked for their money. An
  /// order with a payment stays, also a declined or cancelled one: its money may still come (STO-14). Nothing is
  /// deleted while charges are suspended, and in the 30 days after it.
  package func clearUnpaid() async throws {
    let retained = dependencies.clock.now() - Self.unpaidRetention
    let limit = retained - lifetime
    try await dependencies.database.inPieces { connection in
      // A restored database may lack the payments that its orders had.
      guard try ChargeSuspension.isOver(since: retained, in: connection) else { return 0 }
      return try OrderRecords.clear(unpaidMadeBefore: limit, in: connection)
    }
  }
}
