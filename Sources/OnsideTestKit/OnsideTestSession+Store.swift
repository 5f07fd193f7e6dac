public import OnsideCommerce
public import OnsideKit

/// Actions of the store. Each acts on the latest transaction of a product that it applies to. A method that returns
/// whether there was one does not fail the test. ``store`` has the same for transactions by their id.
extension OnsideTestSession {
  /// Buys a product elsewhere, as on the web; answers whether the store sells it.
  @discardableResult
  public func buy(_ productIdentifier: String, as account: String = LocalStore.defaultAccount) -> Bool {
    store.buy(productIdentifier, as: account) != nil
  }

  /// Approves a payment that waits (Ask to Buy), or settles what has interrupted it.
  @discardableResult
  public func approve(_ productIdentifier: String) -> Bool {
    last(of: productIdentifier) { $0.state == .waiting }.map { store.approve($0.id) } ?? false
  }

  /// Declines a payment that waits.
  @discardableResult
  public func decline(_ productIdentifier: String) -> Bool {
    last(of: productIdentifier) { $0.state == .waiting }.map { store.decline($0.id) } ?? false
  }

  /// Gives the money of a purchase back.
  @discardableResult
  public func refund(_ productIdentifier: String, _ reason: RevocationReason = .refund) -> Bool {
    last(of: productIdentifier) { $0.state == .purchased && $0.duplicateOf == nil }.map { store.refund($0.id, reason) }
      ?? false
  }

  private func last(of productIdentifier: String, where applies: (LocalTransaction) -> Bool) -> LocalTransaction? {
    store.transactions().last { $0.productIdentifier == productIdentifier && applies($0) }
  }

  /// Renews a subscription now, or tries its failed payment again.
  @discardableResult
  public func renew(_ productIdentifier: String, of account: String = LocalStore.defaultAccount) -> Bool {
    store.renew(productIdentifier, of: account)
  }

  /// Ends a subscription now.
  @discardableResult
  public func expire(_ productIdentifier: String, of account: String = LocalStore.defaultAccount) -> Bool {
    store.expire(productIdentifier, of: account)
  }

  /// Switches the renewal of a subscription off or on, as its owner would.
  @discardableResult
  public func setAutoRenew(
    _ isOn: Bool, for productIdentifier: String, of account: String = LocalStore.defaultAccount
  ) -> Bool {
    store.setAutoRenew(isOn, for: productIdentifier, of: account)
  }

  /// Where the subscription to a product stands; nil when the account never had it, or has changed to another product.
  public func subscription(
    _ productIdentifier: String, of account: String = LocalStore.defaultAccount
  ) -> SubscriptionState? {
    store.subscription(productIdentifier, of: account).flatMap { SubscriptionState($0.stage) }
  }

  /// Whether the account has what a subscription gives, now.
  public func isEntitled(to productIdentifier: String, of account: String = LocalStore.defaultAccount) -> Bool {
    store.subscription(productIdentifier, of: account)?.isEntitled(at: now) ?? false
  }

  /// Forgets every account and purchase.
  public func clearTransactions() { store.reset() }
}

/// How the store behaves; the names are those of `SKTestSession`.
extension OnsideTestSession {
  /// True when payments wait for ``approve(_:)``.
  public var askToBuyEnabled: Bool {
    get { store.settings.askToBuyEnabled }
    set { store.settings.askToBuyEnabled = newValue }
  }

  /// True when payments are interrupted until ``approve(_:)``.
  public var interruptedPurchasesEnabled: Bool {
    get { store.interruptsPurchases }
    set { store.interruptsPurchases = newValue }
  }

  /// True when every payment is declined.
  public var failTransactionsEnabled: Bool {
    get { store.settings.failTransactionsEnabled }
    set { store.settings.failTransactionsEnabled = newValue }
  }

  /// True when the payment of renewals fails.
  public var shouldEnterBillingRetryOnRenewal: Bool {
    get { store.settings.renewalBillingIssuesEnabled }
    set { store.settings.renewalBillingIssuesEnabled = newValue }
  }

  /// True when a subscription goes on for a while after a failed renewal: 16 days, 6 for weekly ones. It counts for
  /// accounts that subscribe for the first time afterwards.
  public var billingGracePeriodIsEnabled: Bool {
    get { store.settings.billingGracePeriodEnabled }
    set { store.settings.billingGracePeriodEnabled = newValue }
  }

  /// True when the store cannot be reached.
  public var isOffline: Bool {
    get { store.isOffline }
    set { store.isOffline = newValue }
  }

  /// The region that everybody is in.
  public var storefront: CountryCode {
    get { store.storefront }
    set { store.storefront = newValue }
  }

  /// How fast subscriptions renew; in real time unless the file says otherwise, since the clock can be moved.
  public var timeRate: TimeRate {
    get { store.settings.timeRate }
    set { store.settings.timeRate = newValue }
  }
}
