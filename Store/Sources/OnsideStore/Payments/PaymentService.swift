import Foundation
import OnsideAPI
public import OnsideCommerce

/// What the hosted pages do: show what is to be paid, pay it, go on with a second step, give up, keep methods.
public final class PaymentService: Sendable {
  let dependencies: StoreDependencies
  let orders: OrderRecords
  let payments: PaymentRecords
  let settlement: PaymentSettlement
  private let quotes: QuoteCache
  private let tokens: PaymentToken
  private let outbox: Outbox
  let changes: ChangeHub

  init(
    _ dependencies: StoreDependencies, settlement: PaymentSettlement, outbox: Outbox, quotes: QuoteCache,
    tokens: PaymentToken, changes: ChangeHub
  ) {
    self.dependencies = dependencies
    orders = settlement.orders
    payments = settlement.payments
    self.outbox = outbox
    self.settlement = settlement
    self.quotes = quotes
    self.tokens = tokens
    self.changes = changes
  }

  /// What a payment page shows; nil when the token is not one of this store's.
  public func page(_ token: String) async throws -> PaymentPage? {
    guard let id = tokens.orderID(token) else { return nil }
    let now = dependencies.clock.now()
    let lifetime = dependencies.configuration.orderLifetime
    return try await dependencies.database.read { [orders, payments] connection in
      guard let order = try orders.order(id, in: connection) else { return nil }
      let payment = try order.paymentID.flatMap { try payments.payment($0, in: connection) }
      let isExpired = order.state.stage == .open && order.createdAt.addingTimeInterval(lifetime) <= now
      return PaymentPage(
        orderID: order.id.lowercase, accountID: order.accountID, appID: order.appID, product: order.product.message,
        quantity: order.quantity, price: order.price, priceText: order.priceText, offer: order.offer,
        country: order.country, language: order.language, state: isExpired ? .cancelled : order.state.stage,
        cancelReason: isExpired ? .expired : order.cancelReason,
        isMoneyReturned: try Ledger.hasSurplus(of: id, in: connection),
        expiresAt: order.createdAt.addingTimeInterval(lifetime),
        isPageOpened: try orders.isPageOpened(id, in: connection),
        awaitsSecondStep: order.state.stage == .open && payment?.state == .secondStep,
        savedMethods: try PaymentMethodRecords.methods(of: order.accountID, in: connection))
    }
  }

  /// Remembers that a browser is given the order's payment page.
  func pageOpened(_ token: String) async throws {
    guard let id = tokens.orderID(token) else { return }
    let now = dependencies.clock.now()
    try await dependencies.database.write(at: now) { [orders] in try orders.setPageOpened(id, in: $0) }
  }

  /// Tries to pay. Nothing is charged unless the price shown is the price, in the account's region, now.
  public func pay(_ token: String, with choice: PaymentChoice, shownPrice: Money) async throws -> PaymentOutcome {
    guard let id = tokens.orderID(token) else { throw PaymentError.notFound }
    let now = dependencies.clock.now()
    let fresh = (payment: dependencies.random.uuid7(at: now).lowercase, method: dependencies.random.uuid7(at: now))
    let step = try await quotes.write(at: now) { [self] transaction -> Step in
      guard var order = try orders.order(id, in: transaction) else { throw PaymentError.notFound }
      if let outcome = try obstacle(&order, shownPrice: shownPrice, in: transaction) {
        return .done(outcome, order.accountID)
      }
      guard let card = try card(choice, account: order.accountID, id: fresh.method, in: transaction) else {
        return .done(.unknownMethod, order.accountID)
      }
      let payment = Payment(
        id: fresh.payment, orderID: id, method: card.rawValue, amount: order.price, state: .started)
      return try handOver(payment, kind: PaymentOutboxKind.start, order: &order, in: transaction)
    }
    return try await finish(step, of: id)
  }

  /// Goes on with a payment whose second step is done.
  public func confirmSecondStep(_ token: String) async throws -> PaymentOutcome {
    guard let id = tokens.orderID(token) else { throw PaymentError.notFound }
    let step = try await quotes.write(at: dependencies.clock.now()) { [self] transaction -> Step in
      guard var order = try orders.order(id, in: transaction) else { throw PaymentError.notFound }
      if let outcome = try obstacle(&order, shownPrice: order.price, in: transaction) {
        return .done(outcome, order.accountID)
      }
      guard let payment = try order.paymentID.flatMap({ try payments.payment($0, in: transaction) }),
        payment.state == .secondStep, payment.amount == order.price
      else { return .done(.declined, order.accountID) }
      return try handOver(payment, kind: PaymentOutboxKind.confirm, order: &order, in: transaction)
    }
    return try await finish(step, of: id)
  }

  /// Gives up a payment's order, if it is not too late. Does nothing for an unknown token.
  public func cancel(_ token: String) async throws {
    guard let id = tokens.orderID(token) else { return }
    let now = dependencies.clock.now()
    let account = try await dependencies.database.write(at: now) { [orders] transaction -> String? in
      guard var order = try orders.order(id, in: transaction) else { return nil }
      try orders.cancel(&order, because: .user, in: transaction)
      return order.accountID
    }
    if let account { changes.wake(account: account) }
  }

  /// The saved methods of an account, the newest first.
  public func methods(of account: String) async throws -> [SavedPaymentMethod] {
    try await dependencies.database.read { try PaymentMethodRecords.methods(of: account, in: $0) }
  }

  /// Saves a method; one that is there already is not saved twice.
  public func save(_ card: SandboxCard, of account: String) async throws {
    let now = dependencies.clock.now()
    let id = dependencies.random.uuid7(at: now)
    try await dependencies.database.write(at: now) { try PaymentMethodRecords.save(card, id: id, of: account, in: $0) }
  }

  /// Makes a saved method the account's first choice; false when it is not there.
  @discardableResult
  public func prefer(_ method: String, of account: String) async throws -> Bool {
    return try await dependencies.database.write(at: dependencies.clock.now()) {
      try PaymentMethodRecords.prefer(method, of: account, in: $0)
    }
  }

  /// Removes a saved method of an account; false when it is not there.
  @discardableResult
  public func remove(_ method: String, of account: String) async throws -> Bool {
    try await dependencies.database.write(at: dependencies.clock.now()) {
      try PaymentMethodRecords.remove(method, of: account, in: $0)
    }
  }
}

extension PaymentService {
  /// What a transaction came to: an outcome already, or a row of the outbox to deliver.
  private enum Step: Sendable {
    case done(PaymentOutcome, String)
    case deliver(OutboxDelivery, String)
  }

  /// Why an order cannot be paid now; nil when it can. The order is changed where that is the answer.
  private func obstacle(
    _ order: inout Order, shownPrice: Money, in transaction: StoreTransaction
  ) throws -> PaymentOutcome? {
    switch order.state.stage {
    case .paid: return .paid
    case .processing: return .pending
    case .cancelled: return .closed
    case .open: break
    }
    if let reason = try reasonToGiveUp(order, in: transaction) {
      try orders.cancel(&order, because: reason, in: transaction)
      return reason == .storefrontChanged ? .storefrontChanged : .closed
    }
    if let owned = try settlement.owned(like: order, in: transaction) {
      order.keepFirstPrice()
      settlement.makeDuplicate(&order, of: owned)
      try orders.update(order, in: transaction)
      return .paid
    }
    try takeOverPrice(&order, in: transaction)
    return shownPrice == order.price ? nil : .priceChanged(order.price)
  }

  /// Why an open order can never be paid any more; nil when it can.
  private func reasonToGiveUp(_ order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    if order.createdAt.addingTimeInterval(dependencies.configuration.orderLifetime) <= transaction.now {
      return .expired
    }
    guard let country = try AccountRecords.country(of: order.accountID, in: transaction) else {
      throw PaymentError.accountRemoved
    }
    if country != order.country { return .storefrontChanged }
    if try settlement.hasAnotherPlan(than: order, in: transaction) { return .subscriptionActive }
    return try quotes.quote(for: order, in: transaction) == nil ? .productUnavailable : nil
  }

  /// Gives an order today's price.
  private func takeOverPrice(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard let quote = try quotes.quote(for: order, in: transaction), quote.price != order.price else { return }
    order.reprice(quote)
    try orders.update(order, in: transaction)
  }

  private func card(
    _ choice: PaymentChoice, account: String, id: UUID, in transaction: StoreTransaction
  ) throws -> SandboxCard? {
    switch choice {
    case .saved(let method):
      return try PaymentMethodRecords.methods(of: account, in: transaction).first { $0.id == method }?.card
    case .card(let card, let save):
      if save { try PaymentMethodRecords.save(card, id: id, of: account, in: transaction) }
      return card
    }
  }

  /// Writes that the provider is to be asked, in the same transaction as the order's change.
  private func handOver(
    _ payment: Payment, kind: String, order: inout Order, in transaction: StoreTransaction
  ) throws -> Step {
    var payment = payment
    payment.state = .started
    payment.step += 1
    try payments.save(payment, in: transaction)
    order.paymentID = payment.id
    _ = try order.state.handle(.paymentStarted, at: transaction.now)
    try orders.update(order, in: transaction)
    let handed = payment.handedOver(startBefore: transaction.now + Self.startLimit)
    let delivery = try settlement.outbox.add(
      kind, payload: try PaymentOutboxKind.payload(handed), leasedBy: outbox.lease(), in: transaction)
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
          return payment?.state == .secondStep ? .secondStep : .declined
        }
      }
    }
  }
}

extension CancelReason {
  /// The product was taken from sale while the order was open.
  static let productUnavailable = CancelReason(rawValue: "product_unavailable")
  /// The account has another plan of the subscription group.
  static let subscriptionActive = CancelReason(rawValue: "subscription_active")
  /// The introductory offer was used with another order before this one's money came.
  static let offerUsed = CancelReason(rawValue: "offer_used")
  /// The account was removed before the money came.
  static let accountRemoved = CancelReason(rawValue: "account_removed")
}
