import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// A ``PaidStore`` that sells plans, with some accounts and their mailboxes.
struct SubscribedStore: Sendable {
  let paid: PaidStore
  let mailbox: Mailbox

  var core: StoreCore { paid.core }
  var stripe: StripeServerDouble { paid.stripe }
  var now: Date { paid.clock.now() }

  static func run(
    seed: UInt64, processes: Int = 1, _ body: @escaping @Sendable (SubscribedStore) async throws -> Void
  ) async throws {
    try await PaidStore.run(seed: seed, processes: processes, mail: { Mailbox($0, $1) }) { paid in
      let mailbox = try #require(paid.sender as? Mailbox)
      try await body(SubscribedStore(paid: paid, mailbox: mailbox))
    }
  }

  /// A new account with a mail address.
  func account(_ number: Int) async throws -> (customer: Customer, address: String) {
    let (account, address) = (try await paid.store.account(), "buyer\(number)@example.org")
    try await core.dependencies.database.write(at: now) { transaction in
      let identity = Identity.contact(try #require(Contact(stored: address)))
      _ = try AccountRecords.addIdentity(
        ProvedIdentity(identity: identity, label: nil, provedAt: transaction.now), to: try #require(AccountID(account)),
        in: transaction)
    }
    return (Customer(account: account, app: TestShop.app.id), address)
  }

  // MARK: What people see

  func subscription(of customer: Customer) async throws -> StoredSubscription? {
    let key = SubscriptionKey(account: customer.account, app: customer.app, group: "plans")
    return try await core.dependencies.database.read { try SubscriptionRecords.subscription(key, in: $0) }
  }

  /// The orders of an account, the oldest first.
  func orders(of customer: Customer) async throws -> [Order] {
    let records = core.orders.records
    return try await core.dependencies.database.read { try records.orders(.all, of: customer, in: $0) }
      .sorted { ($0.createdAt, $0.id.lowercase) < ($1.createdAt, $1.id.lowercase) }
  }

  /// What the signed list of an account says of its plan; nil without one.
  func entitlement(of customer: Customer) async throws -> Entitlement? {
    try await core.entitlements(of: customer).first
  }

  func page(_ order: UUID) async throws -> PaymentPage? {
    try await core.payments.page(core.payments.tokens.token(orderID: order))
  }

  /// What the store has of all payments, refunds and subscriptions, and Stripe of its payments, for a person.
  func books() async throws -> [String] {
    let queries = [
      "SELECT id, order_id, state, amount, created_at AS at FROM payments",
      "SELECT id, order_id, state || ' ' || origin AS state, amount, asked_at AS at FROM refunds",
      "SELECT kind AS id, order_id, debit || ' ' || credit AS state, amount, 0 AS at FROM ledger",
      "SELECT 'subscription' AS id, last_order_id AS order_id, machine AS state, 0 AS amount, 0 AS at FROM subscriptions",
    ]
    let rows = try await core.dependencies.database.read { connection in
      try queries.flatMap { query in
        try connection.rows(query).map { row in
          let date = RFC3339.text(try row.date("at"))
          return try "\(date) \(row.text("order_id")) \(row.text("id")) \(row.text("state")) \(row.integer("amount"))"
        }
      }
    }
    return rows.sorted()
      + stripe.payments.map { "\(RFC3339.text($0.created)) \($0.metadata["order"] ?? "") \($0)" }
      + stripe.setups.map { "\($0.metadata["order"] ?? "") \($0)" }
  }

  // MARK: Time

  /// When something is due next, without deliveries that have failed for a day.
  func nextDue() async throws -> Date? {
    let row = try await core.dependencies.database.read {
      try $0.row(
        """
        SELECT min(due) AS due FROM (SELECT min(wakes_at) AS due FROM subscriptions
          UNION ALL SELECT min(notice_due_at) FROM subscriptions
          UNION ALL SELECT min(due_at) FROM outbox WHERE failing_since IS NULL OR failing_since > $1) AS moments
        """, [.date(now - 86_400)])
    }
    return try row?.optionalDate("due")
  }

  // MARK: What buyers do

  /// - Parameter user: the app's own name for the buyer.
  func order(_ id: UUID, plan: String, offer: OrderOffer?, user: String, of customer: Customer) async throws {
    let request = OrderRequest(
      productID: plan, country: try TestShop.country("NL"), appAccountToken: user, language: "en", offer: offer)
    _ = try await core.orders.create(request, id: id, for: customer)
  }

  /// Pays an order at the price that its page has shown: with the first saved card, or with one that is entered.
  ///
  /// - Parameter states: whether the page states the renewal.
  func pay(
    _ id: UUID, shown price: Money, stating states: Bool = true, with wallet: SubscriptionSimulation.Wallet,
    of customer: Customer
  ) async throws {
    let token = core.payments.tokens.token(orderID: id)
    let isWaiting = try await core.payments.waitingCharge(token) != nil
    // Another person enters a card of their own.
    if !isWaiting || !wallet.isOwners {
      let usesSaved = wallet.usesSaved && wallet.isOwners
      let saved = usesSaved ? try await core.payments.methods(of: customer.account).first : nil
      let choice =
        saved.map { PaymentChoice.saved($0.id, keep: states) }
        ?? .offered("card", save: wallet.saves && wallet.isOwners, keep: states)
      _ = try await core.payments.pay(token, with: choice, shownPrice: price, isOwners: wallet.isOwners)
    }
    if try await core.payments.waitingCharge(token) != nil { try await paid.enter(wallet.card, for: id) }
  }

  /// The card that was entered last on the page of an order.
  func lastMethod(of order: UUID) -> String? {
    let payments = stripe.payments.filter { $0.metadata["order"] == order.lowercase }
    let setups = stripe.setups.filter { $0.metadata["order"] == order.lowercase }
    return setups.last?.method ?? payments.last?.method
  }

  /// Adds a card on the page of saved methods.
  func addCard(_ number: String, of customer: Customer) async throws {
    let token = paid.store.freshID().lowercase
    try await core.dependencies.database.write(at: now) {
      try MethodsSessionRecords.insert(token, for: customer, in: $0)
    }
    guard let fresh = try await session(token),
      case .needsAction = try await core.payments.add("card", fields: [:], session: fresh),
      let begun = try await session(token), let setup = begun.setup
    else { return }
    try await paid.enterCard(number, forSetup: setup.reference)
    _ = try await core.payments.finishSetup(begun, fields: [:])
  }

  private func session(_ token: String) async throws -> MethodsSession? {
    try await core.dependencies.database.write(at: now) { try MethodsSessionRecords.session(token, in: $0) }
  }
}
