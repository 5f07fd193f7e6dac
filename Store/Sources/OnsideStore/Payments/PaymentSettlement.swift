import Foundation
import OnsideAPI
import OnsideCommerce

/// Applies the results of payments to orders: paid, declined, pending, refunded. Provider events, outbox calls and the
/// operator's refunds all end here. Every call runs inside the caller's transaction.
struct PaymentSettlement: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let ledger: Ledger
  let keys: SigningKeys
  let environment: StoreEnvironment
  let outbox = OutboxRecords()

  /// Applies a provider's event to a payment and its order. A repeated event changes nothing.
  func apply(
    _ kind: ProviderEvent.Kind, paymentID: String, amount: Money, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    guard let payment = try move(paymentID, of: order, to: kind.state, amount, in: transaction) else { return }
    let isCurrent = order.paymentID == nil || order.paymentID == paymentID
    switch kind {
    case .succeeded: try succeed(&order, payment, in: transaction)
    case .refunded: try refunded(&order, payment: payment, isCurrent: isCurrent, in: transaction)
    case .declined: if isCurrent { try move(&order, event: .paymentDeclined, paymentID: paymentID, in: transaction) }
    case .pending: if isCurrent { try move(&order, event: .paymentPending, paymentID: paymentID, in: transaction) }
    }
  }

  /// The payment in its new state; nil when the event changes nothing. A payment that the store did not start was made
  /// on the provider's own page.
  private func move(
    _ id: String, of order: Order, to state: Payment.State, _ amount: Money, in transaction: StoreTransaction
  ) throws -> Payment? {
    let new = Payment(id: id, orderID: order.id, method: nil, amount: amount, state: state)
    if try payments.insert(new, in: transaction) { return new }
    guard var known = try payments.payment(id, transaction), known.orderID == order.id else { throw Problem.notFound }
    // Events may arrive late or out of order: a succeeded payment can only be refunded, and a refunded one is final.
    guard known.state.mayBecome(state) else { return nil }
    guard known.amount == amount else {
      throw PaymentAmountMismatch(payment: id, expected: known.amount, found: amount)
    }
    known.state = state
    try payments.save(known, in: transaction)
    return known
  }

  /// Refunds a paid order. `tellProvider` is false when the refund is an event of the provider.
  func refund(
    _ order: inout Order, because reason: RevocationReason, tellProvider: Bool, in transaction: StoreTransaction
  ) throws {
    // A duplicate of an owned order was never charged.
    guard order.duplicateOf == nil else { throw OrderTransitionError.notPaid }
    let owedRefund = order.state.owesRefund
    guard try order.state.handle(.refunded(reason), at: transaction.now) == .changed else { return }
    try orders.update(order, in: transaction)
    let payment = try order.paymentID.flatMap { try payments.payment($0, transaction) }
    if owedRefund {
      if let payment { try returned(payment, of: order, in: transaction) }
    } else {
      try ledger.refund(order, in: transaction)
      try sign(&order, in: transaction)
      try revokeDuplicates(of: order, in: transaction)
    }
    if tellProvider, let payment { try askForRefund(payment, in: transaction) }
  }

  /// The paid order with which the account already owns the product of another order.
  func owned(like order: Order, in transaction: StoreTransaction) throws -> Order? {
    guard order.product.message.kind.isRestorable else { return nil }
    return try orders.orders(
      account: order.accountID, app: order.appID,
      where: "o.product_id = $3 AND o.state = 'paid' AND o.duplicate_of IS NULL",
      [.text(order.product.message.id)], transaction
    ).last { $0.isOwned(at: transaction.now) }
  }

  /// Whether an account has another plan of an order's subscription group.
  func hasAnotherPlan(than order: Order, in transaction: StoreTransaction) throws -> Bool {
    try orders.subscriptions(inGroupOf: order, transaction).contains {
      $0.isAnotherPlan(than: order.product.message, at: transaction.now)
    }
  }

  /// Makes an order the duplicate of an owned one: paid at once, without a charge and without an entry in the ledger.
  func makeDuplicate(_ order: inout Order, of owned: Order) {
    order.state = OrderState(stage: .paid)
    order.paidAt = owned.paidAt
    order.expiresAt = owned.expiresAt
    order.duplicateOf = owned.id
    order.receipt = owned.receipt
  }

  /// Applies a succeeded payment, whichever attempt it belongs to. It pays the order, unless the order is paid already
  /// or may no longer be paid: then the payment is refunded.
  private func succeed(_ order: inout Order, _ payment: Payment, in transaction: StoreTransaction) throws {
    let isAgreed = payment.isOurs || payment.amount == order.price
    guard isAgreed, order.duplicateOf == nil else {
      try giveBack(payment, of: order, in: transaction)
      if order.paymentID == payment.id {
        try move(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
      }
      return
    }
    try giveUpIfUnpayable(&order, in: transaction)
    switch try order.state.handle(.paymentSucceeded, at: transaction.now) {
    case .unchanged: try giveBack(payment, of: order, in: transaction)
    case .paidAfterCancel:
      order.paymentID = payment.id
      try orders.update(order, in: transaction)
      try giveBack(payment, of: order, in: transaction)
    case .changed: try take(payment, for: &order, in: transaction)
    }
  }

  private func take(_ payment: Payment, for order: inout Order, in transaction: StoreTransaction) throws {
    order.paymentID = payment.id
    // Another order for the same product was paid while this payment was under way.
    if let owned = try owned(like: order, in: transaction) {
      order.keepFirstPrice()
      makeDuplicate(&order, of: owned)
      try orders.update(order, in: transaction)
      return try giveBack(payment, of: order, in: transaction)
    }
    if order.price != payment.amount {
      // The provider charged an earlier price: the ledger records the charged amount.
      order.price = payment.amount
      order.priceText = payment.amount.formatted(country: order.country, language: order.language ?? "en")
    }
    order.paidAt = transaction.now
    order.expiresAt = order.expiry(paidAt: transaction.now)
    try orders.update(order, in: transaction)
    try ledger.sale(order, provider: payments.provider, in: transaction)
    try sign(&order, in: transaction)
  }

  /// Cancels an order that must not be paid any more, although a payment may be under way: a payment that succeeds
  /// later is refunded, as after any cancellation.
  private func giveUpIfUnpayable(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard order.state.stage == .open || order.state.stage == .processing,
      let reason = try reasonToRefuseMoney(of: order, in: transaction)
    else { return }
    _ = try order.state.handle(.paymentDeclined, at: transaction.now)
    _ = try order.state.handle(.cancelled, at: transaction.now)
    order.cancelReason = reason
  }

  private func reasonToRefuseMoney(of order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    if try !AccountRecords.isThere(id: order.accountID, transaction) { return .accountRemoved }
    if try hasAnotherPlan(than: order, in: transaction) { return .subscriptionActive }
    // The offer is for new subscribers, and another order of the account has used it. An owned product is no reason.
    guard order.offerID != nil, let group = order.product.message.subscriptionGroupID,
      try owned(like: order, in: transaction) == nil
    else { return nil }
    let used = try OfferEligibility.usedGroups(
      account: order.accountID, app: order.appID, since: order.createdAt, orders.products, transaction)
    return used.contains(group) ? .offerUsed : nil
  }

  private func refunded(
    _ order: inout Order, payment: Payment, isCurrent: Bool, in transaction: StoreTransaction
  ) throws {
    // A surplus payment, which is refunded at once, never paid the order.
    let isSurplus = try Ledger.hasSurplus(of: order.id, payment: payment.id, transaction)
    guard isCurrent, order.duplicateOf == nil, !isSurplus || order.state.owesRefund else {
      return try returned(payment, of: order, in: transaction)
    }
    guard order.state.stage == .paid || order.state.owesRefund else {
      // The refund arrived before the payment: the payment will not count any more, and the order is open again.
      return try move(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
    }
    try refund(&order, because: .refund, tellProvider: false, in: transaction)
  }

  private func move(
    _ order: inout Order, event: OrderEvent, paymentID: String, in transaction: StoreTransaction
  ) throws {
    guard try order.state.handle(event, at: transaction.now) == .changed else { return }
    order.paymentID = paymentID
    try orders.update(order, in: transaction)
  }

  /// Books a payment that pays no order as a surplus, and requests its refund.
  private func giveBack(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try ledger.surplus(order, payment: payment.id, payment.amount, provider: payments.provider, in: transaction)
    try askForRefund(payment, in: transaction)
  }

  private func returned(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    guard try Ledger.hasSurplus(of: order.id, payment: payment.id, transaction) else { return }
    try ledger.surplusReturned(order, payment: payment.id, payment.amount, provider: payments.provider, in: transaction)
  }

  private func askForRefund(_ payment: Payment, in transaction: StoreTransaction) throws {
    try outbox.add(
      OutboxKind.refund, payload: try OutboxKind.payload(payment.handedOver()), due: transaction.now, transaction)
  }

  private func sign(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard let purchase = order.purchase(in: environment, fetchedAt: transaction.now) else { return }
    let receipt = try keys.active().sign(PurchaseJSON.history([purchase]))
    order.receipt = receipt
    try orders.setReceipt(receipt, of: order.id, transaction)
  }

  private func revokeDuplicates(of order: Order, in transaction: StoreTransaction) throws {
    let duplicates = try orders.orders(
      account: order.accountID, app: order.appID, where: "o.duplicate_of = $3", [.text(order.id.lowercase)],
      transaction)
    for var duplicate in duplicates {
      guard let revocation = order.state.revocation else { return }
      guard try duplicate.state.handle(.refunded(revocation.reason), at: transaction.now) == .changed else { continue }
      try orders.update(duplicate, in: transaction)
    }
  }
}

/// The kinds of outbox rows that go to the payment provider.
enum OutboxKind {
  static let start = "payment.start"
  static let confirm = "payment.confirm"
  static let refund = "payment.refund"
  static let sandboxEvent = "sandbox.event"

  static func payload(_ payment: ProviderPayment) throws -> String {
    String(decoding: try JSONEncoder().encode(payment), as: UTF8.self)
  }

  static func payment(_ payload: String) throws -> ProviderPayment {
    try JSONDecoder().decode(ProviderPayment.self, from: Data(payload.utf8))
  }
}
