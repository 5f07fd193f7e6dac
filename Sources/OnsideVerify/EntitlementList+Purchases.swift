public import Foundation
public import OnsideCommerce

extension EntitlementList {
  /// What an account may use in an app at a moment: what counts of its purchases, with what its subscriptions know
  /// beyond their last paid orders.
  ///
  /// - Parameters:
  ///   - purchases: what all of its purchases give, in any order.
  ///   - account: the account's id, a UUID in lower case.
  ///   - app: the app's id.
  ///   - environment: in which the purchases were made.
  ///   - now: when the list is issued; it is valid for `lifetime`.
  ///   - subscriptions: its subscriptions as they stand at that moment, each by the order that paid its last period.
  public init(
    of purchases: [Entitlement], account: String, app: String, environment: PurchaseEnvironment, at now: Date,
    subscriptions: [UUID: SubscriptionMachine]
  ) {
    let entitlements = purchases.map { purchase in
      var entitlement = purchase
      if let subscription = subscriptions[purchase.orderID] { entitlement.apply(subscription) }
      return entitlement
    }
    self.init(
      bundleID: app, environment: environment, subject: Self.subject(account: account, app: app), issuedAt: now,
      validUntil: now + Self.lifetime, entitlements: Entitlement.current(among: entitlements, at: now))
  }
}
