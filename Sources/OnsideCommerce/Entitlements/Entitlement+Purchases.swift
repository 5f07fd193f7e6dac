public import Foundation

extension Entitlement {
  /// What a purchase gives; nil for what a restore does not bring back: a consumable is used up, and of a non-renewing
  /// subscription the app alone knows how long it lasts.
  public init?(_ purchase: InAppPurchase) {
    guard purchase.productType.isRestorable else { return nil }
    self.init(
      productID: purchase.productID, productType: purchase.productType, subscriptionID: purchase.subscriptionID,
      orderID: purchase.orderID, originalOrderID: purchase.originalOrderID, purchaseDate: purchase.purchaseDate,
      expiresAt: purchase.expiresAt, revocation: purchase.revocation,
      willRenew: purchase.productType == .autoRenewableSubscription ? false : nil,
      appAccountToken: purchase.appAccountToken)
  }

  /// Those that count at a moment, of all purchases of one account in one app: one for each lasting product and each
  /// subscription group, the oldest purchase first.
  ///
  /// Of several for the same, one that is active counts before one that is not, then the latest one; of two that were
  /// bought in the same moment, the one that ends later: the other one was replaced.
  public static func current(among entitlements: [Entitlement], at now: Date) -> [Entitlement] {
    var best: [String: Entitlement] = [:]
    for entitlement in entitlements {
      let known = best[entitlement.key]
      if known.map({ $0.precedence(at: now) > entitlement.precedence(at: now) }) != true {
        best[entitlement.key] = entitlement
      }
    }
    return best.values.sorted { ($0.purchaseDate, $0.orderID.uuidString) < ($1.purchaseDate, $1.orderID.uuidString) }
  }

  /// Takes over what the account's subscription knows beyond its last paid order.
  public mutating func apply(_ subscription: SubscriptionMachine) {
    willRenew = subscription.isSubscribed && subscription.autoRenews
    graceUntil = revocation == nil ? subscription.graceUntil : nil
  }

  /// What there is one entitlement for.
  private var key: String {
    subscriptionID.map { "group \($0)" } ?? "product \(productID)"
  }

  private func precedence(at now: Date) -> (Int, Date, Date, String) {
    (isActive(at: now) ? 1 : 0, purchaseDate, expiresAt ?? .distantFuture, orderID.uuidString)
  }
}
