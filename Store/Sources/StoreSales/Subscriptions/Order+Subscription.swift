import OnsideAPI
import OnsideCommerce
import StoreAccounts

extension ProductMessage {
  /// Whether it renews by itself.
  var renews: Bool { kind == .autoRenewableSubscription && subscriptionPeriod != nil }

  /// What it subscribes to at a regular price; nil for what does not renew.
  func plan(at price: Money) -> SubscriptionPlan? {
    guard renews, let period = subscriptionPeriod else { return nil }
    return SubscriptionPlan(
      productID: id, level: subscriptionLevel ?? 1, period: period, price: price, graceDays: subscriptionGraceDays)
  }
}

extension Order {
  /// Whether it is the payment of a subscription's next period, which nobody has ordered by hand.
  var isRenewal: Bool { reason == .renewal }

  /// The plan of a subscription, at the regular price that was agreed; nil for other products. A grant has no price of
  /// its own.
  var plan: SubscriptionPlan? {
    product.message.plan(at: offerID == nil && reason != .grant ? price : product.message.price.money)
  }

  /// The offer that it is bought with, as it was accepted.
  var acceptedOffer: AcceptedOffer? {
    offer.map {
      AcceptedOffer(
        kind: $0.kind, mode: $0.mode, period: $0.period, periodCount: $0.periodCount, price: $0.price.money)
    }
  }

  /// The subscription that it belongs to; nil for what is none.
  var subscriptionKey: SubscriptionKey? {
    product.message.subscriptionGroupID.map { SubscriptionKey(account: accountID, app: appID, group: $0) }
  }
}
