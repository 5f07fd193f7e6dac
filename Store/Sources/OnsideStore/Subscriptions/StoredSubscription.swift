import Foundation
import OnsideCommerce

/// Names a subscription: an account has one in each group of an app.
public struct SubscriptionKey: Sendable, Hashable {
  /// The account, a UUID in lower case.
  public let account: String
  /// The app that sells it.
  public let app: String
  /// The subscription group.
  public let group: String

  /// The subscription of an account in a group of an app.
  public init(account: String, app: String, group: String) {
    (self.account, self.app, self.group) = (account, app, group)
  }
}

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
