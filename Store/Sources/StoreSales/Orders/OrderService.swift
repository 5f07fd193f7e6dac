public import Foundation
import OnsideAPI
public import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StoreWeb
import Synchronization

/// Creates, cancels, expires and refunds orders. ``ProviderEvents`` applies the events of payment providers.
public final class OrderService: Sendable {
  package let records: OrderRecords
  package let json: OrderJSON
  let leases: DeliveryLeases
  let dependencies: BaseDependencies
  /// Seconds for which an order can be paid.
  let lifetime: TimeInterval
  /// The most unpaid orders of an account in an app in 24 hours.
  let unpaidLimit: Int
  let owned: OwnedPurchases
  let cancellation: OrderCancellation
  let obstacles: PaymentObstacles
  let renewals: SubscriptionRenewals
  let runningPlans: RunningPlans
  private let refunds: RefundService
  /// The name of the payment provider that takes new payments.
  let provider: String
  let changes: ChangeHub
  let quotes: QuoteCache
  /// The accounts with a finish request that waits for its payment: at most one each, so that connections remain for
  /// polls.
  let waitingFinishes = Mutex<Set<String>>([])

  package init(
    _ dependencies: BaseDependencies, configuration: SalesConfiguration, settlement: SettlementAssembly,
    tokens: VersionedKey<PaymentToken>, keys: SigningKeys, address: PublicAddress, refunds: RefundService,
    provider: String, quotes: QuoteCache, changes: ChangeHub, leases: DeliveryLeases
  ) {
    self.dependencies = dependencies
    (lifetime, unpaidLimit) = (configuration.orderLifetime, configuration.unpaidOrdersPerAccount)
    records = settlement.orders
    json = OrderJSON(tokens: tokens, keys: keys, address: address, deliveryLease: leases.lifetime)
    (owned, cancellation, obstacles) = (settlement.owned, settlement.cancellation, settlement.obstacles)
    (renewals, runningPlans) = (settlement.renewals, settlement.runningPlans)
    (self.refunds, self.provider) = (refunds, provider)
    (self.quotes, self.changes, self.leases) = (quotes, changes, leases)
  }

  /// Creates an order, or returns the one that an earlier request with the same idempotency key created, in its first
  /// state. The device that orders a consumable holds the lease of its delivery (QUE-22).
  func create(_ request: OrderRequest, id: UUID, for caller: OrderCaller) async throws -> Order {
    try await create(request, id: id, for: caller.customer, holder: caller.device)
  }

  /// Creates an order on the shop's page, which is no device. The first device that claims a consumable gets it.
  func create(_ request: OrderRequest, id: UUID, for customer: Customer) async throws -> Order {
    try await create(request, id: id, for: customer, holder: nil)
  }

  private func create(
    _ request: OrderRequest, id: UUID, for customer: Customer, holder: DeliveryDevice?
  ) async throws -> Order {
    do {
      return try await insert(request, id: id, for: customer, holder: holder)
    } catch {
      records.metrics.orderRefused(error)
      throw error
    }
  }

  private func insert(
    _ request: OrderRequest, id: UUID, for customer: Customer, holder: DeliveryDevice?
  ) async throws -> Order {
    try Self.check(request)
    let order = try await quotes.write(at: dependencies.clock.now()) { [self] transaction in
      let transaction = try transaction.at(timeOf: customer.account, in: environment)
      if let known = try records.order(id, in: transaction) {
        return try Self.replay(request, of: known, for: customer)
      }
      try checkUnpaidLimit(of: customer, in: transaction)
      var order = try made(request, id: id, for: customer, in: transaction)
      if order.product.message.kind == .consumable {
        order.lease = holder.map { DeliveryLease(device: $0.id, seenAt: transaction.now) }
      }
      try records.insert(order, in: transaction)
      checkpoint("order.beforeCommit")
      return order
    }
    checkpoint("order.afterCommit")
    records.products.markStored(order.product)
    if order.duplicateOf != nil { changes.wake(account: customer.account) }
    return order
  }

  /// Returns an order of a customer. Throws ``OrderError/notFound`` for an unknown order.
  func order(_ id: UUID, of customer: Customer) async throws -> Order {
    try await dependencies.database.read { [records] in try records.order(id, of: customer, in: $0) }
  }

  /// Cancels an order that is still open; returns the order in its state then. The reason `screenClosed` cancels
  /// nothing once the payment page was sent to a browser (QUE-25): the page's button ends such an order, or it expires.
  func cancel(_ id: UUID, because reason: CancelReason, for customer: Customer) async throws -> Order {
    let order = try await dependencies.write(for: customer.account) { [records, cancellation] transaction in
      var order = try records.order(id, of: customer, in: transaction)
      if order.isRenewal { return order }
      if reason == .screenClosed, try records.isPageOpened(id, in: transaction) { return order }
      try cancellation.cancel(&order, because: reason, in: transaction)
      return order
    }
    changes.wake(account: customer.account)
    return order
  }

  /// Refunds the unrefunded part of an order's price, and revokes its purchase; ``RefundService`` refunds parts, too.
  /// Throws ``OrderTransitionError`` if nothing was paid, and ``OrderError/notFound`` for an unknown order.
  public func refund(_ id: UUID, because reason: RevocationReason) async throws {
    try await refunds.refund(id, because: reason)
  }

  /// Cancels open orders that are older than the order lifetime by their account's time, at most 500 per call, and 500
  /// of accounts that are ahead; returns how many.
  @discardableResult
  public func expireOpenOrders() async throws -> Int {
    let now = dependencies.clock.now()
    let (lifetime, environment) = (lifetime, environment)
    let due = try await dependencies.database.read(at: now) { [records] transaction in
      try records.openOrders(madeBefore: now - lifetime, limit: 500, in: transaction)
        + (environment == .sandbox
          ? records.openOrdersAhead(madeBefore: now - lifetime, limit: 500, in: transaction) : [])
    }
    guard !due.isEmpty else { return 0 }
    let accounts = try await dependencies.database.write(at: now) { [records, cancellation] transaction in
      try Set(due).map { id in
        // Only orders that were cancelled weeks ago are deleted.
        guard var order = try records.order(id, in: transaction) else { throw OrderError.notFound }
        let transaction = try transaction.at(timeOf: order.accountID, in: environment)
        try cancellation.cancel(&order, because: .expired, in: transaction)
        return order.accountID
      }
    }
    for account in Set(accounts) { changes.wake(account: account) }
    return accounts.count
  }
}

extension OrderService {
  /// The environment of the store.
  var environment: StoreEnvironment { dependencies.environment }

  /// Throws if a token is too long or contains U+0000.
  static func check(token: String?) throws(OrderError) {
    if let token, token.utf8.count > OrderRequest.appAccountTokenLimit { throw .appAccountTokenTooLong }
    // PostgreSQL cannot store it, so both engines reject it.
    guard token?.utf8.contains(0) != true else {
      throw .invalidRequest("Expected app_account_token without U+0000.")
    }
  }

  private static func check(_ request: OrderRequest) throws(OrderError) {
    try check(token: request.appAccountToken)
    guard Product.isIdentifier(request.productID) else {
      throw .invalidProductIdentifier
    }
    guard OrderRequest.quantities.contains(request.quantity) else {
      throw .invalidRequest(
        "Expected quantity from 1 to \(OrderRequest.quantities.upperBound), got \(request.quantity).")
    }
    guard request.offer.map({ Product.isIdentifier($0.id) }) ?? true else {
      throw .invalidRequest("Expected offer.id as the identifier of an offer.")
    }
    if let language = request.language, ProductQuery.languages(language) != [language] {
      throw .invalidRequest("Expected language as a BCP 47 tag such as de-AT.")
    }
  }

  /// Returns the error of an order without a price: the product is not sold in the region, or not in this quantity.
  private func noQuote(_ request: OrderRequest, in app: String) throws -> OrderError {
    var single = request
    single.quantity = 1
    guard let product = try quotes.quote(single, of: app)?.product.message else {
      return .productNotAvailable
    }
    guard product.kind == .consumable else {
      return .quantityNotAvailable(
        "Expected quantity 1, got \(request.quantity): \(product.id) is \(product.kind.rawValue), and only consumables "
          + "are sold in larger quantities.")
    }
    return .quantityNotAvailable(
      "Expected a smaller quantity, got \(request.quantity): their price is more than an amount can hold.")
  }

  /// Returns a new order at the present price, without writing it.
  func made(
    _ request: OrderRequest, id: UUID, for customer: Customer, by way: OfferWay = .name,
    in transaction: StoreTransaction
  ) throws -> Order {
    guard let country = try AccountRecords.country(of: customer.account, in: transaction) else {
      throw OrderError.accountRemoved
    }
    guard request.country == country else { throw OrderError.storefrontChanged(to: country) }
    guard let regular = try quotes.quote(request, of: customer.app) else {
      throw try noQuote(request, in: customer.app)
    }
    let quote = try quote(request, for: customer, regular: regular, by: way, in: transaction)
    var order = Order(
      id: id, accountID: customer.account, appID: customer.app, product: quote.product, quantity: request.quantity,
      country: request.country, price: quote.price, priceText: quote.priceText, offerID: quote.offerID,
      state: OrderState(),
      reason: .purchase, appAccountToken: request.appAccountToken, language: request.language,
      createdAt: transaction.now,
      originalOrderID: nil)
    if request.offer == nil, quote.product.message.introductoryOffer != nil,
      let terms = try quotes.quote(for: order, in: transaction)
    {
      (order.price, order.priceText, order.offerID) = (terms.price, terms.priceText, terms.offerID)
    }
    if let due = try renewals.duePrice(of: order, in: transaction) { order.setPrice(due) }
    if try obstacles.isBlockedByPlan(order, in: transaction) { throw OrderError.subscriptionActive }
    if let owned = try owned.purchase(like: order, in: transaction),
      try runningPlans.plan(of: order, in: transaction) == nil
    {
      guard !order.wasMadeWithOffer else {
        throw OrderError.offerNotEligible("The account has the plan, and its next renewal cannot have the offer.")
      }
      order.makeDuplicate(of: owned)
    }
    return order
  }

  /// Returns the order of a known idempotency key, as it was answered before.
  private static func replay(
    _ request: OrderRequest, of order: Order, for customer: Customer
  ) throws(OrderError) -> Order {
    guard order.customer == customer, order.product.message.id == request.productID,
      order.country == request.country, order.quantity == request.quantity,
      order.appAccountToken == request.appAccountToken, order.language == request.language,
      order.hasOffer(of: request)
    else { throw .idempotencyKeyReused }
    return order.asMade
  }
}
