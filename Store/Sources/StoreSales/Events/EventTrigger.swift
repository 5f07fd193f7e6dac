import Foundation
package import OnsideAPI
import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StorePayments

/// Causes events in a sandbox, by the acts that cause them in production: purchases, refunds, disputes, and due moments
/// of subscriptions.
package struct EventTrigger: Sendable {
  /// The types of events that it causes.
  package static let types: [MerchantEventType] = [
    .orderPaid, .orderRefunded, .orderRevoked, .disputeOpened, .subscriptionStarted, .subscriptionRenewed,
    .subscriptionGraceBegan, .subscriptionRenewalSwitchedOff, .subscriptionExpired, .entitlementChanged,
  ]
  /// The name of the sandbox's payment provider.
  private static let provider = "sandbox"

  private let dependencies: BaseDependencies
  private let cards: EventTestCards
  private let catalogue: CatalogueService
  private let orders: OrderService
  private let payments: PaymentService
  private let refunds: RefundService
  private let subscriptions: SubscriptionService

  package init(
    _ dependencies: BaseDependencies, cards: EventTestCards, catalogue: CatalogueService, orders: OrderService,
    payments: PaymentService, refunds: RefundService, subscriptions: SubscriptionService
  ) {
    (self.dependencies, self.cards, self.catalogue, self.orders) = (dependencies, cards, catalogue, orders)
    (self.payments, self.refunds, self.subscriptions) = (payments, refunds, subscriptions)
  }

  /// Performs the acts that cause an event of a type.
  ///
  /// - Parameter product: the product to buy; nil for the first suitable one of the catalogue.
  /// - Returns: the subscription whose next due moments cause the event (``advance(_:)``); nil if the acts suffice.
  /// - Throws: ``EventTriggerError``.
  package func begin(
    _ type: MerchantEventType, for customer: Customer, product: String?
  ) async throws -> SubscriptionKey? {
    guard dependencies.environment == .sandbox else { throw EventTriggerError("a sandbox, got production") }
    guard payments.providers.active.name == Self.provider else {
      throw EventTriggerError("the sandbox's payment provider, got \(payments.providers.active.name)")
    }
    let purchase = EventPurchase(customer: customer, product: product)
    switch type {
    case .orderPaid: _ = try await buy(purchase)
    case .orderRefunded, .orderRevoked: try await refunds.refund(try await buy(purchase).id, because: .refund)
    case .disputeOpened: _ = try await buy(purchase, with: cards.disputed)
    case .subscriptionStarted: try await start(purchase)
    case .subscriptionRenewed: return try await subscribe(purchase, with: cards.accepted)
    case .subscriptionGraceBegan: return try await subscribe(purchase, with: cards.declined)
    case .subscriptionRenewalSwitchedOff: _ = try await subscriptions.stop(try await subscribe(purchase))
    case .subscriptionExpired:
      let key = try await subscribe(purchase)
      _ = try await subscriptions.stop(key)
      return key
    case .entitlementChanged: try await changeEntitlements(purchase)
    default:
      let names = Self.types.map(\.rawValue).joined(separator: ", ")
      throw EventTriggerError("one of \(names), got \(type.rawValue)")
    }
    return nil
  }

  /// Applies the next due moment of a subscription, unless a payment provider has not answered its charge yet.
  package func advance(_ key: SubscriptionKey) async throws {
    let open = try await dependencies.database.read { try DueOfAccount.openCharges(of: key.account, in: $0) }
    guard open.isEmpty else { return }
    _ = try await subscriptions.runNextEvent(of: key)
  }
}

/// Test cards of the sandbox's payment provider.
package struct EventTestCards: Sendable {
  /// Pays at once.
  let accepted: PaymentMethodDetails
  /// Is declined.
  let declined: PaymentMethodDetails
  /// Pays at once; the buyer's bank opens a dispute later.
  let disputed: PaymentMethodDetails

  package init(accepted: PaymentMethodDetails, declined: PaymentMethodDetails, disputed: PaymentMethodDetails) {
    (self.accepted, self.declined, self.disputed) = (accepted, declined, disputed)
  }
}

/// The customer and the product of a purchase.
private struct EventPurchase {
  let customer: Customer
  /// The id; nil for the first suitable product.
  let product: String?
}

extension EventTrigger {
  /// Buys a product: a consumable, if none is named and the app has one.
  private func buy(_ purchase: EventPurchase, with card: PaymentMethodDetails? = nil) async throws -> Order {
    let product = try await product(of: purchase, [.consumable, .nonConsumable, .autoRenewableSubscription])
    return try await buy(product, for: purchase.customer, with: card)
  }

  private func start(_ purchase: EventPurchase) async throws {
    let plan = try await product(of: purchase, [.autoRenewableSubscription])
    guard try await renewal(of: key(of: plan, for: purchase.customer)) == nil else {
      throw EventTriggerError("an account without a running subscription in the group of \(plan.id)")
    }
    _ = try await buy(plan, for: purchase.customer)
  }

  /// Returns the account's subscription in the group of a plan, with its renewal on; buys the plan without one.
  ///
  /// - Parameter card: the card that the next renewal is charged to; nil for the present one.
  private func subscribe(_ purchase: EventPurchase, with card: PaymentMethodDetails? = nil) async throws
    -> SubscriptionKey
  {
    let plan = try await product(of: purchase, [.autoRenewableSubscription])
    let key = try key(of: plan, for: purchase.customer)
    switch try await renewal(of: key) {
    case nil: _ = try await buy(plan, for: purchase.customer)
    case false?: _ = try await subscriptions.setAutoRenew(true, of: key)
    case true?: break
    }
    if let card { try await setCard(card, of: key) }
    return key
  }

  /// Buys a plan, or switches the renewal of the running one; an app without plans sells a non-consumable.
  private func changeEntitlements(_ purchase: EventPurchase) async throws {
    let product = try await product(of: purchase, [.autoRenewableSubscription, .nonConsumable])
    guard product.subscription != nil,
      let isOn = try await renewal(of: key(of: product, for: purchase.customer))
    else {
      _ = try await buy(product, for: purchase.customer)
      return
    }
    _ = try await subscriptions.setAutoRenew(!isOn, of: key(of: product, for: purchase.customer))
  }

  private func buy(
    _ product: Product, for customer: Customer, with card: PaymentMethodDetails? = nil
  ) async throws -> Order {
    let country = try await country(of: customer)
    let order = try await orders.create(
      OrderRequest(productID: product.id, country: country),
      id: dependencies.random.uuid7(at: dependencies.clock.now()),
      for: customer)
    guard order.duplicateOf == nil else { throw EventTriggerError("a product that the account does not own") }
    let outcome = try await payments.pay(
      orders.json.tokens.token(orderID: order.id),
      with: .offered((card ?? cards.accepted).reference, save: false, keep: product.subscription != nil),
      shownPrice: order.price)
    guard outcome == .paid else { throw EventTriggerError("a paid order of \(product.id), got \(outcome)") }
    return order
  }

  /// Returns whether a running subscription renews; nil without a running one.
  private func renewal(of key: SubscriptionKey) async throws -> Bool? {
    try await dependencies.read(for: key.account) { transaction in
      guard let known = try SubscriptionRecords.subscription(key, in: transaction) else { return nil }
      let machine = known.machine.asOf(transaction.now)
      return machine.isSubscribed ? machine.autoRenews : nil
    }
  }

  /// Charges further renewals of a subscription to a test card.
  private func setCard(_ card: PaymentMethodDetails, of key: SubscriptionKey) async throws {
    let id = dependencies.random.uuid7(at: dependencies.clock.now()).lowercase
    try await dependencies.write(for: key.account) { [lifecycle = subscriptions.lifecycle] transaction in
      try lifecycle.passTime(of: key, in: transaction)
      let row = try PaymentMethodRecords.record(
        card, of: Self.provider, id: id, for: key.account, in: transaction
      ).id
      guard let method = try PaymentMethodRecords.method(row, of: key.account, in: transaction),
        let known = try SubscriptionRecords.subscription(key, in: transaction), known.method != row
      else { return }
      try lifecycle.setMethod(method, of: known, in: transaction)
    }
  }
}

extension EventTrigger {
  /// Returns the named product, or the first one of the first kind that is sold in the account's region.
  private func product(of purchase: EventPurchase, _ kinds: [ProductKind]) async throws -> Product {
    let country = try await country(of: purchase.customer)
    let sold = catalogue.catalogue(of: purchase.customer.app).products.filter { $0.price(in: country) != nil }
    let suitable = kinds.flatMap { kind in sold.filter { $0.kind == kind } }
    guard let name = purchase.product else {
      if let first = suitable.first { return first }
      throw EventTriggerError(
        "a product of the kind \(kinds.map(\.rawValue).joined(separator: " or ")) that is sold in \(country.alpha2)")
    }
    guard let product = suitable.first(where: { $0.id == name }) else {
      let names = suitable.map(\.id).joined(separator: ", ")
      throw EventTriggerError("one of the products \(names.isEmpty ? "(none)" : names), got \"\(name)\"")
    }
    return product
  }

  private func key(of plan: Product, for customer: Customer) throws -> SubscriptionKey {
    guard let group = plan.subscription?.groupID else {
      throw EventTriggerError("a subscription, got the product \(plan.id)")
    }
    return customer.subscription(in: group)
  }

  private func country(of customer: Customer) async throws -> CountryCode {
    let country = try await dependencies.database.read { try AccountRecords.country(of: customer.account, in: $0) }
    guard let country else { throw EventTriggerError("the id of an account, got \"\(customer.account)\"") }
    return country
  }
}

/// The expected and the actual state of a customer whose event cannot be caused.
package struct EventTriggerError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ expected: String) { description = "expected \(expected)" }
}
