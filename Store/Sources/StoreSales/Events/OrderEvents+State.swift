package import Foundation
import StoreAccounts
package import StoreBase

extension OrderEvents {
  /// A paid order and its place among its events.
  package struct State: Hashable, Sendable {
    package let object: OrderObject
    /// The sequence of the newest event; 0 without events.
    package let sequence: Int64
  }

  /// The state of an app's order; nil for an unpaid order, a duplicate, and an order of another app.
  package static func state(of order: UUID, in app: String, in transaction: StoreTransaction) throws -> State? {
    let known = try OrderEventRecords.order(
      order, products: OrderedProducts(), at: transaction.now, in: transaction)
    guard let known, known.customer.app == app else { return nil }
    return State(object: known.object, sequence: known.newest?.sequence ?? 0)
  }
}
