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
  ///   - subscription: the subscription whose last period an entitlement is, as it stands at that moment; nil for what
  ///     is none.
  /// - Throws: what `subscription` throws.
  public init<Failure: Error>(
    of purchases: [Entitlement], account: String, app: String, environment: PurchaseEnvironment, at now: Date,
    subscription: (Entitlement) throws(Failure) -> SubscriptionMachine?
  ) throws(Failure) {
    var entitlements = Entitlement.current(among: purchases, at: now)
    for index in entitlements.indices {
      if let machine = try subscription(entitlements[index]) { entitlements[index].apply(machine) }
    }
    self.init(
      bundleID: app, environment: environment, subject: Self.subject(account: account, app: app), issuedAt: now,
      validUntil: now + Self.lifetime, entitlements: entitlements)
  }
}
