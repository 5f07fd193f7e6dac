import Foundation
import OnsideCommerce
import StoreAccounts

/// An account's subscription in a group, as the store keeps it. `SubscriptionMachine` decides; the orders are its
/// payments.
struct StoredSubscription: Sendable {
  let key: SubscriptionKey
  var machine: SubscriptionMachine
  /// The purchase that the present run of periods began with.
  var firstOrder: UUID
  /// The order of the last paid period.
  var lastOrder: UUID
  /// The order of the next period, while it waits for its payment.
  var renewalOrder: UUID?
  /// The id of the newest consent to its renewals.
  var consent: String?
  /// The id of the payment method that its renewals are charged to.
  var method: String?
  /// Of what its account was told.
  var told = ToldNotices()
}

extension SubscriptionTerms {
  /// The store's own: each period is charged an hour before it begins.
  static let store = SubscriptionTerms(leadTime: 3600)
}
