import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// What the store has of a provider's payments and refunds. What costs nothing, such as a free trial, moves no money:
/// it is in no provider's list.
struct StoreBooks: Sendable {
  struct Charge: Sendable, Hashable {
    let id: String
    let order: String
    let reference: String?
    let amount: Money
    let state: Payment.State
    let createdAt: Date

    var isPaid: Bool { state == .succeeded || state == .refunded }
  }

  var charges: [Charge] = []
  var refunds: [Refund] = []
  var disputes: [Dispute] = []
  var payouts: [ProviderPayout] = []
  /// The provider's ids of charges that the store made, of those that were asked for: also of long ago.
  var references: Set<String> = []
}
