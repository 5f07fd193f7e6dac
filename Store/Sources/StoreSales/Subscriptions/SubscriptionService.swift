import Foundation
import Logging
import OnsideAPI
package import OnsideCommerce
public import StoreAccounts
package import StoreBase
package import StorePayments

/// A subscription with its orders.
struct CurrentSubscription: Sendable {
  let subscription: StoredSubscription
  let lastOrder: Order
  /// The order of the next period, while it waits for its buyer.
  let unpaidOrder: UUID?
  /// A Boolean value that indicates whether a payment of the next period is being processed by the provider.
  let isRenewalProcessing: Bool
  /// The product of the next renewal, if another plan is chosen.
  let nextProduct: ProductMessage?
  /// The region of its price.
  let nextCountry: CountryCode?
  /// A Boolean value that indicates whether a payment of the subscription has an open dispute.
  let isDisputed: Bool
  /// A Boolean value that indicates whether the account does not own the method: another plan, or a higher price, needs
  /// another method.
  let needsOwnMethod: Bool
  /// The method that renewals are charged to.
  let method: SavedPaymentMethod?
  /// The offers with which the account can renew an expired subscription, the best first.
  var returns: [AvailableOfferMessage] = []
}

extension CurrentSubscription {
  init(
    _ subscription: StoredSubscription, lastOrder: Order, orders: OrderRecords,
    in connection: StoreTransaction
  ) throws {
    let renewal = try subscription.renewalOrder.flatMap { try orders.order($0, in: connection) }
    let chosen = try subscription.machine.nextPlan.flatMap { plan in
      try SubscriptionConsentRecords.present(of: subscription, in: connection)
        .flatMap { $0.product == plan.productID ? $0 : nil }
    }
    self.init(
      subscription: subscription, lastOrder: lastOrder,
      unpaidOrder: renewal?.state.stage == .open ? renewal?.id : nil,
      isRenewalProcessing: renewal?.state.stage == .processing,
      nextProduct: try chosen.map { try orders.products.product($0.orderedProduct, in: connection).message },
      nextCountry: chosen?.country,
      isDisputed: try DisputeRecords.holdingRenewals(of: subscription.key, in: connection) != nil,
      needsOwnMethod: try !subscription.hasAccountsMethod(in: connection),
      method: try subscription.method.flatMap {
        try PaymentMethodRecords.method($0, of: subscription.key.account, in: connection)
      })
  }
}

/// Renews subscriptions, and switches their renewal off and on.
public final class SubscriptionService: Sendable {
  /// Maximum number of subscriptions in one write, because purchases wait for it.
  private static let batch = 2

  let dependencies: BaseDependencies
  let orders: OrderRecords
  let unusedTime: UnusedTimeRefunds
  let consents: SubscriptionConsents
  let prices: SubscriptionPrices
  package let lifecycle: SubscriptionLifecycle
  let refunds: RefundSettlement
  let providers: PaymentProviders
  let catalogue: CatalogueService
  let quotes: QuoteCache
  let changes: ChangeHub

  package init(
    _ dependencies: BaseDependencies, settlement: SettlementAssembly, providers: PaymentProviders,
    catalogue: CatalogueService, quotes: QuoteCache, changes: ChangeHub
  ) {
    self.dependencies = dependencies
    (orders, unusedTime, consents) = (settlement.orders, settlement.unusedTime, settlement.consents)
    (prices, lifecycle, refunds) = (settlement.prices, settlement.lifecycle, settlement.refunds)
    (self.providers, self.catalogue) = (providers, catalogue)
    (self.quotes, self.changes) = (quotes, changes)
  }

  /// Requests due charges and retries, and ends expired periods. Each write reads the subscription again, and writes of
  /// all processes run one after the other. Returns the number of subscriptions.
  @discardableResult
  public func passTime() async throws -> Int {
    var count = 0
    while !Task.isCancelled {
      let now = dependencies.clock.now()
      let due = try await dependencies.database.read(at: now) {
        try SubscriptionRecords.due(limit: Self.batch, in: $0)
      }
      guard !due.isEmpty else { break }
      do {
        try await passTime(of: due, at: now)
      } catch {
        // A failure of one subscription must not stop the others.
        for key in due { try await passTimeAlone(of: key, at: now) }
      }
      for account in Set(due.map(\.account)) { changes.wake(account: account) }
      count += due.count
      if due.count < Self.batch { break }
    }
    return count
  }

  private func passTime(of keys: [SubscriptionKey], at now: Date) async throws {
    try await dependencies.database.write(at: now) { [lifecycle] transaction in
      for key in keys { try lifecycle.passTime(of: key, in: transaction) }
    }
  }

  /// Applies the time to one subscription in its own write. After a failure, retries it in five minutes.
  private func passTimeAlone(of key: SubscriptionKey, at now: Date) async throws {
    do {
      try await passTime(of: [key], at: now)
    } catch {
      dependencies.logger.error(
        "a subscription cannot be renewed",
        metadata: [
          "account": "\(key.account)", "group": "\(key.group)", "error": "\(error.loggedName)",
        ])
      try await dependencies.database.write(at: now) {
        try SubscriptionRecords.postpone(key, to: now + 300, in: $0)
      }
    }
  }

  /// Returns the active subscriptions of an account, and expired ones with a win-back offer.
  func current(of account: String) async throws -> [CurrentSubscription] {
    return try await dependencies.read(for: account) { [catalogue, orders] connection in
      guard let country = try AccountRecords.country(of: account, in: connection) else { return [] }
      return try SubscriptionRecords.subscriptions(of: account, in: connection).compactMap {
        known -> CurrentSubscription? in
        var subscription = known
        subscription.machine = known.machine.asOf(connection.now)
        let key = subscription.key
        let returns =
          subscription.machine.isLapsed
          ? try catalogue.catalogue(of: key.app).offers(
            for: key, country: country, orders: orders, at: connection.now, in: connection
          ).filter { $0.offer.kind == .winBack } : []
        guard subscription.machine.isSubscribed || !returns.isEmpty,
          let lastOrder = try orders.order(subscription.lastOrder, in: connection)
        else { return nil }
        var current = try CurrentSubscription(
          subscription, lastOrder: lastOrder, orders: orders, in: connection)
        current.returns = returns.map(\.name)
        return current
      }
    }
  }

  /// Returns the prices of the offers with which an account can renew an expired subscription.
  func returns(to current: CurrentSubscription, for account: Account, language: String) throws -> [Quote] {
    try current.returns.compactMap {
      try quotes.quote(
        $0.productID, offer: $0.id, country: account.country, language: language, of: current.subscription.key.app)
    }
  }

  /// Applies the next due moment of a subscription now, such as its renewal, for testers. Returns false if nothing is
  /// due.
  public func runNextEvent(of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      try service.lifecycle.runNextEvent(of: key, in: transaction)
    }
  }

  /// Switches the renewal of a subscription off or on. Returns false if nothing changes, and for a renewal without a
  /// payment method that may be charged the price. Without renewal nothing more is charged: a paid period runs to its
  /// end, and an unpaid one expires at once.
  ///
  /// - Parameter shownPrice: the price beside the button that switches the renewal on. Nothing changes if the present
  ///   price differs. Nil for a caller that knows the price.
  package func setAutoRenew(
    _ isOn: Bool, shownPrice: Money? = nil, of key: SubscriptionKey
  ) async throws -> Bool {
    try await change(key) { service, transaction in
      let lifecycle = service.lifecycle
      // An expired subscription cannot be switched on again.
      if isOn { try lifecycle.passTime(of: key, in: transaction) }
      guard var known = try SubscriptionRecords.subscription(key, in: transaction) else { return false }
      return try lifecycle.setAutoRenew(
        isOn, shownPrice: shownPrice, of: &known, since: known.machine, in: transaction)
    }
  }
}
