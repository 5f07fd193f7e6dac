import Foundation
import OnsideAPI
public import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StorePayments

/// The actions of the hosted pages: show, pay, confirm and cancel an order, and save methods.
public final class PaymentService: Sendable {
  let dependencies: BaseDependencies
  /// Seconds for which an order can be paid.
  private let orderLifetime: TimeInterval
  let orders: OrderRecords
  let payments: PaymentRecords
  let owned: OwnedPurchases
  let cancellation: OrderCancellation
  let obstacles: PaymentObstacles
  let unusedTime: UnusedTimeRefunds
  let prices: SubscriptionPrices
  let renewals: SubscriptionRenewals
  let lifecycle: SubscriptionLifecycle
  let runningPlans: RunningPlans
  let paymentMethods: PaymentMethods
  let startedPayments: StartedPayments
  let events: ProviderEvents
  let outboxRecords = OutboxRecords()
  let providers: PaymentProviders
  private let quotes: QuoteCache
  let tokens: VersionedKey<PaymentToken>
  let outbox: Outbox
  let changes: ChangeHub

  package init(
    _ dependencies: BaseDependencies, configuration: SalesConfiguration, settlement: SettlementAssembly,
    providers: PaymentProviders, outbox: Outbox, quotes: QuoteCache, tokens: VersionedKey<PaymentToken>,
    changes: ChangeHub
  ) {
    self.dependencies = dependencies
    orderLifetime = configuration.orderLifetime
    (orders, payments, owned) = (settlement.orders, settlement.payments, settlement.owned)
    (cancellation, obstacles) = (settlement.cancellation, settlement.obstacles)
    (unusedTime, prices, renewals) = (settlement.unusedTime, settlement.prices, settlement.renewals)
    (lifecycle, runningPlans) = (settlement.lifecycle, settlement.runningPlans)
    (paymentMethods, startedPayments, events) = (settlement.methods, settlement.startedPayments, settlement.events)
    (self.providers, self.outbox, self.quotes) = (providers, outbox, quotes)
    (self.tokens, self.changes) = (tokens, changes)
  }

  /// Returns the contents of a payment page; nil for a token of another store.
  public func page(_ token: String) async throws -> PaymentPage? {
    guard let id = tokens.orderID(token) else { return nil }
    let lifetime = orderLifetime
    let provider = providers.active.name
    return try await dependencies.database.read(at: dependencies.clock.now()) {
      [self] connection in
      guard let order = try orders.order(id, in: connection) else { return nil }
      let connection = try connection.at(timeOf: order.accountID, in: environment)
      let now = connection.now
      let payment = try order.paymentID.flatMap { try payments.payment($0, in: connection) }
      let isExpired =
        order.state.stage == .open && !order.isRenewal && order.createdAt.addingTimeInterval(lifetime) <= now
      let running = isExpired ? nil : try runningPlans.plan(of: order, in: connection)
      return PaymentPage(
        orderID: order.id.lowercase, accountID: order.accountID, appID: order.appID, product: order.product.message,
        quantity: order.quantity, price: order.price, priceText: order.priceText, isRenewal: order.isRenewal,
        running: running,
        isOwnedPlan: try running == nil && owned.runningPurchase(for: order, in: connection) != nil,
        replaces: try unusedTime.replacement(by: order, at: now, in: connection),
        offer: order.offer, country: order.country, language: order.language,
        state: isExpired ? .cancelled : order.state.stage,
        cancelReason: isExpired ? .expired : order.cancelReason,
        isMoneyReturned: try Ledger.hasSurplus(of: id, in: connection),
        expiresAt: order.createdAt.addingTimeInterval(lifetime),
        isPageOpened: try orders.isPageOpened(id, in: connection),
        awaitsSecondStep: order.state.stage == .open && payment?.state == .secondStep,
        awaitsAccount: order.state.stage == .open && payment?.state == .secondStep
          && payment?.givesAccountMethod == true,
        savedMethods: try PaymentMethodRecords.saved(of: order.accountID, in: connection)
          .filter { $0.provider == provider })
    }
  }

  /// Records that the order's payment page was sent to a browser.
  func pageOpened(_ token: String) async throws {
    guard let id = tokens.orderID(token) else { return }
    let now = dependencies.clock.now()
    try await dependencies.database.write(at: now) { [orders] in try orders.setPageOpened(id, in: $0) }
  }

  /// Starts a payment. Charges nothing unless the shown price is the present price in the account's region.
  ///
  /// - Parameters:
  ///   - isOwners: whether the buyer is logged in to the account that pays.
  ///   - network: the country of the buyer's network, where it is known.
  public func pay(
    _ token: String, with choice: PaymentChoice, shownPrice: Money, isOwners: Bool = true, network: CountryCode? = nil
  ) async throws -> PaymentOutcome {
    guard let id = tokens.orderID(token) else { throw PaymentError.notFound }
    let now = dependencies.clock.now()
    let fresh = dependencies.random.uuid7(at: now).lowercase
    let step = try await quotes.write(at: now) { [self] transaction -> Step in
      guard var order = try orders.order(id, in: transaction) else { throw PaymentError.notFound }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      if let outcome = try obstacle(&order, shownPrice: shownPrice, in: transaction) {
        return .done(outcome, order.accountID)
      }
      guard var payment = try payment(fresh, of: order, with: choice, in: transaction) else {
        return .done(.unknownMethod, order.accountID)
      }
      payment.networkCountry = network
      if choice.statesRenewal, order.plan != nil { payment.renewalGiver = isOwners ? .account : .payer }
      return try handOver(
        payment, kind: PaymentOutboxKind.start, fields: choice.fields, order: &order, in: transaction)
    }
    return try await finish(step, of: id)
  }

  /// Confirms a payment, after its second step.
  ///
  /// - Parameter fields: the values of the provider's fields on the page.
  public func confirmSecondStep(_ token: String, fields: [String: String] = [:]) async throws -> PaymentOutcome {
    guard let id = tokens.orderID(token) else { throw PaymentError.notFound }
    let step = try await quotes.write(at: dependencies.clock.now()) { [self] transaction -> Step in
      guard var order = try orders.order(id, in: transaction) else { throw PaymentError.notFound }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      if let outcome = try obstacle(&order, shownPrice: order.price, in: transaction) {
        return .done(outcome, order.accountID)
      }
      guard let payment = try order.paymentID.flatMap({ try payments.payment($0, in: transaction) }),
        payment.state == .secondStep, payment.amount == order.price
      else { return .done(.declined, order.accountID) }
      return try handOver(
        payment, kind: PaymentOutboxKind.confirm, fields: fields, order: &order, in: transaction)
    }
    return try await finish(step, of: id)
  }

  /// Switches the renewal of an order's running plan on, or accepts its offer, at the price of the page. Charges
  /// nothing.
  func renewPlan(_ token: String, shownPrice: Money) async throws -> PlanRenewal {
    try await change(token) { [self] order, transaction in
      if order.wasMadeWithOffer, let reason = try cancelReason(ofAcceptedOfferOf: order, in: transaction) {
        try cancellation.cancel(&order, because: reason, in: transaction)
        return .ordinary
      }
      return try runningPlans.renewPlan(of: &order, shownPrice: shownPrice, in: transaction)
    } ?? .ordinary
  }

  /// Ends an open order for a plan that its account owns and that the order cannot renew. Another order does not
  /// change.
  func endOwnedPlan(_ token: String) async throws -> PlanRenewal {
    let lifetime = orderLifetime
    return try await change(token) { [runningPlans] order, transaction in
      let isExpired = order.createdAt.addingTimeInterval(lifetime) <= transaction.now
      guard try isExpired || runningPlans.plan(of: order, in: transaction) == nil else { return .ordinary }
      return try runningPlans.endOrder(&order, in: transaction)
    } ?? .ordinary
  }

  /// Cancels the order of a payment page, if it is open. Returns whether it was open. Does nothing for an unknown
  /// token.
  @discardableResult
  public func cancel(_ token: String) async throws -> Bool {
    try await change(token) { [cancellation] order, transaction in
      // An unpaid renewal stays open until its subscription expires.
      guard !order.isRenewal, order.state.stage == .open else { return false }
      try cancellation.cancel(&order, because: .user, in: transaction)
      return true
    } ?? false
  }

  /// Runs a write about an order at the time of its account, and wakes the account's devices. Returns nil for an
  /// unknown token.
  private func change<Result: Sendable>(
    _ token: String, _ body: @escaping @Sendable (inout Order, StoreTransaction) throws -> Result
  ) async throws -> Result? {
    guard let id = tokens.orderID(token) else { return nil }
    let changed = try await quotes.write(at: dependencies.clock.now()) {
      [orders, environment] transaction -> (Result, String)? in
      guard var order = try orders.order(id, in: transaction) else { return nil }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      return (try body(&order, transaction), order.accountID)
    }
    guard let (result, account) = changed else { return nil }
    changes.wake(account: account)
    return result
  }
}

extension PaymentService {
  /// The environment of the store.
  var environment: StoreEnvironment { dependencies.environment }

  /// The result of a transaction: an outcome, or an outbox row to deliver.
  private enum Step: Sendable {
    case done(PaymentOutcome, String)
    case deliver(OutboxDelivery, String)
  }

  /// Returns the outcome of an order that cannot be paid now, or nil. Changes the order if it can never be paid, or its
  /// price is new.
  private func obstacle(
    _ order: inout Order, shownPrice: Money, in transaction: StoreTransaction
  ) throws -> PaymentOutcome? {
    switch order.state.stage {
    case .paid: return .paid
    case .processing: return .pending
    case .cancelled: return .closed
    case .open: break
    }
    let isForRenewal = try owned.isOfferForRenewal(order, in: transaction)
    if let reason = try reasonToGiveUp(order, in: transaction) ?? (isForRenewal ? .offerUsed : nil) {
      try cancellation.cancel(&order, because: reason, in: transaction)
      return reason == .storefrontChanged ? .storefrontChanged : .closed
    }
    if !order.isRenewal, let owned = try owned.purchase(like: order, in: transaction) {
      try cancellation.endAsDuplicate(&order, of: owned, in: transaction)
      return .paid
    }
    try takeOverPrice(&order, in: transaction)
    return shownPrice == order.price ? nil : .priceChanged(order.price)
  }

  /// Returns the reason to cancel an open order that can never be paid, or nil.
  private func reasonToGiveUp(_ order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    if order.isRenewal { return try obstacles.subscriptionRejection(of: order, in: transaction) }
    if order.createdAt.addingTimeInterval(orderLifetime) <= transaction.now {
      return .expired
    }
    guard let country = try AccountRecords.country(of: order.accountID, in: transaction) else {
      throw PaymentError.accountRemoved
    }
    if country != order.country { return .storefrontChanged }
    if try obstacles.isBlockedByPlan(order, in: transaction) { return .subscriptionActive }
    if try obstacles.isBeingPaidLate(like: order, in: transaction) { return .subscriptionActive }
    if order.namedOffer != nil, try owned.isOfferUsed(order, in: transaction) { return .offerUsed }
    return try quotes.quote(for: order, in: transaction) == nil ? .productUnavailable : nil
  }

  /// Returns the reason to cancel an open order whose offer would be accepted for the running plan. Returns nil if the
  /// catalogue has the product as it was ordered.
  private func cancelReason(ofAcceptedOfferOf order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    guard try owned.runningPurchase(for: order, in: transaction) != nil else { return nil }
    if let reason = try reasonToGiveUp(order, in: transaction) { return reason }
    return try quotes.quote(for: order, in: transaction)?.product.id == order.product.id ? nil : .productUnavailable
  }

  /// Sets the present price of an order, or the price of the unpaid period that it pays.
  private func takeOverPrice(_ order: inout Order, in transaction: StoreTransaction) throws {
    // The price of a renewal does not change, because its account has consented to it.
    guard !order.isRenewal else { return }
    if let due = try renewals.duePrice(of: order, in: transaction) {
      guard due != order.price else { return }
      order.recordFirstPrice()
      order.setPrice(due)
      return try orders.update(order, in: transaction)
    }
    guard let quote = try quotes.quote(for: order, in: transaction), quote.price != order.price else { return }
    order.reprice(quote)
    try orders.update(order, in: transaction)
  }

  /// Returns a new payment with the buyer's choice, or nil for a saved method that is removed.
  private func payment(
    _ id: String, of order: Order, with choice: PaymentChoice, in transaction: StoreTransaction
  ) throws -> Payment? {
    let provider = providers.active.name
    switch choice {
    case .saved(let method, _):
      let saved = try PaymentMethodRecords.saved(of: order.accountID, in: transaction)
        .first { $0.id == method && $0.provider == provider }
      return saved.map {
        Payment(
          id: id, orderID: order.id, provider: provider, method: $0.details.reference, isSaved: true,
          amount: order.price, state: .started)
      }
    case .offered(let value, _, let save, _):
      return Payment(
        id: id, orderID: order.id, provider: provider, method: value, remembers: save, amount: order.price,
        state: .started)
    }
  }

  /// Inserts the outbox row of the payment, in the same transaction as the order's change.
  private func handOver(
    _ payment: Payment, kind: String, fields: [String: String], order: inout Order, in transaction: StoreTransaction
  ) throws -> Step {
    var payment = payment
    payment.state = .started
    payment.step += 1
    try payments.save(payment, in: transaction)
    if order.paymentID != payment.id {
      try cancellation.cancelCharge(order.paymentID, of: order, in: transaction)
    }
    order.paymentID = payment.id
    _ = try order.state.handle(.paymentStarted, at: transaction.now)
    try orders.update(order, in: transaction)
    let handed = ChargeRequest(
      payment, account: order.accountID, environment: environment, fields: fields,
      askedAt: transaction.storeNow, startBefore: transaction.storeNow + Self.startLimit,
      period: try renewals.chargedPeriod(of: order, in: transaction))
    let delivery = try outboxRecords.add(
      kind, payload: try OutboxPayload.text(handed), leasedBy: outbox.lease(), in: transaction)
    return .deliver(delivery, order.accountID)
  }

  /// Wakes the account's devices, delivers the step's outbox row to the provider, and reads the outcome from the order
  /// in the database: the delivery may have failed, or its answer may be pending.
  private func finish(_ step: Step, of id: UUID) async throws -> PaymentOutcome {
    switch step {
    case .done(let outcome, let account):
      changes.wake(account: account)
      return outcome
    case .deliver(let delivery, let account):
      changes.wake(account: account)
      await outbox.deliver(delivery)
      return try await dependencies.database.read { [orders, payments] connection in
        guard let order = try orders.order(id, in: connection) else { throw PaymentError.notFound }
        switch order.state.stage {
        case .paid: return .paid
        case .processing: return .pending
        case .cancelled: return .closed
        case .open:
          let payment = try order.paymentID.flatMap { try payments.payment($0, in: connection) }
          if payment?.state == .secondStep { return .secondStep }
          return payment?.decline == .unchargeable ? .unchargeable : .declined
        }
      }
    }
  }
}

extension CancelReason {
  /// The product was removed from sale while the order was open.
  static let productUnavailable = CancelReason(rawValue: "product_unavailable")
  /// The account has another plan of the subscription group.
  static let subscriptionActive = CancelReason(rawValue: "subscription_active")
  /// The offer was used with another order before this order's payment.
  static let offerUsed = CancelReason(rawValue: "offer_used")
  /// The account was removed before the payment.
  static let accountRemoved = CancelReason(rawValue: "account_removed")
}
