import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// A subscription of an account of a test, and its store's clock.
struct Subscriber {
  let shopper: Shopper
  /// The purchase that it began with.
  let purchase: OrderMessage
  /// The group of its plan.
  var group = "plans"

  private var store: TestStore { shopper.store }
  private var database: any Database { store.core.dependencies.database }

  var key: SubscriptionKey { SubscriptionKey(account: shopper.accountID, app: TestShop.app.id, group: group) }

  /// Its state; the clock has done what is due.
  func machine() async throws -> SubscriptionMachine {
    let known = try await database.read { [key] in try SubscriptionRecords.subscription(key, in: $0) }
    return try #require(known).machine
  }

  /// The orders of its renewals, the oldest first.
  func renewals() async throws -> [Order] {
    let orders = try await database.read { [store, key] connection in
      try store.core.orders.records.orders(
        .all, of: Customer(account: key.account, app: key.app), in: connection)
    }
    return orders.filter { $0.isRenewal && $0.subscriptionKey == key }.sorted { $0.createdAt < $1.createdAt }
  }

  func setAutoRenew(_ isOn: Bool) async throws -> Bool {
    try await store.core.subscriptions.setAutoRenew(isOn, of: key)
  }

  /// Chooses a saved method, at the price of the next renewal.
  func setMethod(_ id: String) async throws -> Bool {
    try await store.core.subscriptions.setMethod(id, shownPrice: try await machine().nextPrice, of: key)
  }

  /// The method that renewals are charged to.
  func method() async throws -> SavedPaymentMethod? {
    try await database.read { [key] connection in
      try SubscriptionRecords.subscription(key, in: connection)?.method
        .flatMap { try PaymentMethodRecords.method($0, of: key.account, in: connection) }
    }
  }

  /// Lets time pass to a moment, with everything that is due on the way in its order.
  func pass(to moment: Date) async throws {
    while let next = try await machine().wakesAt, next <= moment {
      let isStuck = next <= store.clock.now()
      try #require(!isStuck, "the clock has done all it can")
      try await step(to: next)
    }
    if moment > store.clock.now() { try await step(to: moment) }
  }

  /// Lets days pass.
  func pass(days: Double) async throws { try await pass(to: store.clock.now() + days * 86_400) }

  /// Does what is due by now, as a store that slept.
  func catchUp() async throws { try await step(to: store.clock.now()) }

  private func step(to moment: Date) async throws {
    // Messages of a period that began in the last step.
    try await store.core.deliverOutbox()
    store.advance(by: .seconds(moment.timeIntervalSince(store.clock.now())))
    try await store.core.subscriptions.passTime()
    try await store.core.deliverOutbox()
  }

  /// The differences between the books and what they are about.
  func faults() async throws -> [Reconciliation.Fault] { try await database.read { try Reconciliation($0).faults() } }
}

extension Shopper {
  /// Buys the monthly plan with a test card, on a page that says that it renews or that it ends.
  func subscribe(
    with card: SandboxCard = .succeeds, saving: Bool = true, keeping: Bool = true
  ) async throws -> Subscriber {
    let order = try await order("pro")
    let token = try #require(order.paymentURL?.lastPathComponent)
    let outcome = try await store.core.payments.pay(
      token, with: .offered(card.rawValue, save: saving, keep: keeping), shownPrice: order.price.money)
    #expect(outcome == .paid)
    return Subscriber(shopper: self, purchase: try await self.order(order.id))
  }

  /// Replaces all cards of the account by another one, which its subscriptions are charged to.
  func replaceCards(by card: SandboxCard?) async throws {
    try await store.core.dependencies.database.write { [accountID] in
      try $0.execute("DELETE FROM payment_methods WHERE account_id = $1", [.text(accountID)])
    }
    let method = if let card { try await store.save(card, of: accountID) } else { String?.none }
    try await store.core.dependencies.database.write { [accountID] in
      try $0.execute(
        "UPDATE subscriptions SET method_id = $2 WHERE account_id = $1", [.text(accountID), .text(method)])
      try $0.execute(
        "UPDATE subscription_consents SET method_id = $2 WHERE account_id = $1", [.text(accountID), .text(method)])
    }
  }
}
