public import OnsideCommerce
public import OnsideKit

/// Actions of the store. Each acts on the latest transaction of a product that it applies to.
///
/// A method that returns `false` found nothing to act on; it does not fail the test. Apps are told at their next sync:
/// wait with ``settle(fileID:filePath:line:column:)`` before an assertion. ``store`` has the same actions for
/// transactions by their identifier.
extension OnsideTestSession {
  /// Buys a product outside of the apps, as on the web or another device, and pays for it.
  ///
  /// The account's devices get it as `.purchased` with the reason `.elsewhere` (QUE-16).
  ///
  /// - Parameters:
  ///   - productIdentifier: the product.
  ///   - quantity: how many, of a consumable up to 1000.
  ///   - account: the name that the account logs in with; a new name is a new account.
  /// - Returns: whether the store sells the product in this quantity.
  @discardableResult
  public func buy(
    _ productIdentifier: String, quantity: Int = 1, as account: String = LocalStore.defaultAccount
  ) -> Bool {
    store.buy(productIdentifier, quantity: quantity, as: account) != nil
  }

  /// Approves the payment that waits: under Ask to Buy, or interrupted. It is then paid.
  ///
  /// - Returns: whether a payment of the product was waiting.
  @discardableResult
  public func approve(_ productIdentifier: String) -> Bool {
    last(of: productIdentifier) { $0.state == .waiting }.map { store.approve($0.id) } ?? false
  }

  /// Declines the payment that waits; its transaction fails with `.cancelled`.
  ///
  /// - Returns: whether a payment of the product was waiting.
  @discardableResult
  public func decline(_ productIdentifier: String) -> Bool {
    last(of: productIdentifier) { $0.state == .waiting }.map { store.decline($0.id) } ?? false
  }

  /// Refunds the latest purchase of a product, which ends what it gave.
  ///
  /// Apps are told with `revokedTransactions`, also when the purchase was finished (QUE-19).
  ///
  /// - Parameters:
  ///   - productIdentifier: the product.
  ///   - reason: the reason that the store notes.
  /// - Returns: whether there was a purchase to refund.
  @discardableResult
  public func refund(_ productIdentifier: String, _ reason: RevocationReason = .refund) -> Bool {
    last(of: productIdentifier) { $0.state == .purchased && $0.duplicateOf == nil }.map { store.refund($0.id, reason) }
      ?? false
  }

  private func last(of productIdentifier: String, where applies: (LocalTransaction) -> Bool) -> LocalTransaction? {
    store.transactions().last { $0.productIdentifier == productIdentifier && applies($0) }
  }

  /// The subscription of an account, with everything that can happen to it at a store: refused cards, new prices,
  /// pauses, changes of plan.
  ///
  /// ```swift
  /// try session.subscription("pro_monthly").fail(.cardDeclined)
  /// try await session.advance(by: .months(1))
  /// let state = session.subscription("pro_monthly").state  // .inGracePeriod
  /// ```
  ///
  /// - Parameters:
  ///   - identifier: a product, which is the subscription while its last paid period is of that product; or a group,
  ///     for whatever product of the group the account has.
  ///   - account: the name that the account logs in with.
  /// - Returns: the subscription; there need not be one yet. What cannot happen to it throws `LocalSubscriptionError`.
  public func subscription(_ identifier: String, of account: String = LocalStore.defaultAccount) -> LocalSubscription {
    store.subscription(identifier, of: account)
  }

  /// Takes an offer for an account, as on the store's page for codes, and pays for it: an offer of codes by its name, a
  /// win-back offer, or a promotional one.
  ///
  /// The account's devices get it as `.purchased` with the reason `.elsewhere`.
  ///
  /// - Parameters:
  ///   - offer: the offer's identifier, in the `.storekit` file or configuration that the session is made of.
  ///   - account: the name that the account logs in with.
  /// - Throws: `LocalSubscriptionError` when there is no such offer, or when the account may not have it now.
  public func redeem(
    _ offer: String, as account: String = LocalStore.defaultAccount
  ) throws(LocalSubscriptionError) { try store.redeem(offer, as: account) }

  /// Deletes every account and purchase of the store. Apps that are logged in are logged out at their next call.
  public func clearTransactions() { store.reset() }
}

/// Settings of the store, with the names of `SKTestSession`. They may be changed at any time during a test.
extension OnsideTestSession {
  /// Whether payments wait for ``approve(_:)`` or ``decline(_:)``, as those of a child. Meanwhile the app's transaction
  /// stays `.purchasing`.
  public var askToBuyEnabled: Bool {
    get { store.settings.askToBuyEnabled }
    set { store.settings.askToBuyEnabled = newValue }
  }

  /// Whether payments are interrupted until ``approve(_:)`` or ``decline(_:)``.
  public var interruptedPurchasesEnabled: Bool {
    get { store.interruptsPurchases }
    set { store.interruptsPurchases = newValue }
  }

  /// Whether every payment is declined; the transaction fails with `.cancelled`.
  public var failTransactionsEnabled: Bool {
    get { store.settings.failTransactionsEnabled }
    set { store.settings.failTransactionsEnabled = newValue }
  }

  /// Whether the payment of every renewal fails, so that subscriptions enter a grace period or billing retry. For the
  /// cards of one account there is `fail(_:times:)` of its ``subscription(_:of:)``.
  public var shouldEnterBillingRetryOnRenewal: Bool {
    get { store.settings.renewalBillingIssuesEnabled }
    set { store.settings.renewalBillingIssuesEnabled = newValue }
  }

  /// Whether a subscription continues for a while after a failed renewal: 16 days, 6 for weekly ones.
  ///
  /// It counts for what is bought afterwards. A product with grace days of its own has them in any case.
  public var billingGracePeriodIsEnabled: Bool {
    get { store.settings.billingGracePeriodEnabled }
    set { store.settings.billingGracePeriodEnabled = newValue }
  }

  /// Whether the store cannot be reached: calls of every device fail like those without a network.
  public var isOffline: Bool {
    get { store.isOffline }
    set { store.isOffline = newValue }
  }

  /// The country of every account. Apps are told of a change with `onsidePaymentQueueDidChangeStorefront` at their next
  /// sync.
  public var storefront: CountryCode {
    get { store.storefront }
    set { store.storefront = newValue }
  }

  /// How fast subscriptions renew: in real time unless the `.storekit` file says otherwise, since the clock can be
  /// moved.
  ///
  /// It counts for accounts that subscribe for the first time afterwards.
  public var timeRate: TimeRate {
    get { store.settings.timeRate }
    set { store.settings.timeRate = newValue }
  }
}
