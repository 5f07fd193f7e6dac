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
  /// The legal entity whose receipts are numbered.
  let seller: SellerConfiguration
  let outbox = OutboxRecords()

  /// Applies a provider's event to a payment and its order. A repeated event changes nothing.
  func apply(
    _ kind: ProviderEvent.Kind, paymentID: String, amount: Money, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    guard let payment = try recordPayment(paymentID, of: order, state: kind.state, amount: amount, in: transaction)
    else { return }
    let isCurrent = order.paymentID == nil || order.paymentID == paymentID
    switch kind {
    case .succeeded: try applySuccess(of: payment, to: &order, in: transaction)
    case .refunded: try applyRefund(of: payment, isCurrent: isCurrent, to: &order, in: transaction)
    case .declined:
      if isCurrent { try transition(&order, event: .paymentDeclined, paymentID: paymentID, in: transaction) }
    case .pending:
      if isCurrent { try transition(&order, event: .paymentPending, paymentID: paymentID, in: transaction) }
    }
  }

  /// Records a payment's new state and returns the payment; nil when the event changes nothing. A payment that the
  /// store did not start was made on the provider's own page.
  private func recordPayment(
    _ id: String, of order: Order, state: Payment.State, amount: Money, in transaction: StoreTransaction
  ) throws -> Payment? {
    let new = Payment(id: id, orderID: order.id, method: nil, amount: amount, state: state)
    if try payments.insert(new, in: transaction) {
      orders.metrics.paymentReported(state, in: transaction)
      return new
    }
    guard var known = try payments.payment(id, in: transaction), known.orderID == order.id else {
      throw PaymentError.notFound
    }
    // Events may arrive late or out of order: a succeeded payment can only be refunded, and a refunded one is final.
    guard known.state.mayBecome(state) else { return nil }
    guard known.amount == amount else {
      throw PaymentAmountMismatch(payment: id, expected: known.amount, found: amount)
    }
    known.state = state
    try payments.save(known, in: transaction)
    orders.metrics.paymentReported(state, in: transaction)
    return known
  }

  /// Applies a succeeded payment, whichever attempt it belongs to. It pays the order, unless the order is paid already
  /// or may no longer be paid: then the payment is refunded.
  private func applySuccess(
    of payment: Payment, to order: inout Order, in transaction: StoreTransaction
  ) throws {
    let isAgreed = payment.isOurs || payment.amount == order.price
    guard isAgreed, order.duplicateOf == nil else {
      try returnSurplus(payment, of: order, in: transaction)
      if order.paymentID == payment.id {
        try transition(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
      }
      return
    }
    try cancelIfUnpayable(&order, in: transaction)
    switch try order.state.handle(.paymentSucceeded, at: transaction.now) {
    case .unchanged: try returnSurplus(payment, of: order, in: transaction)
    case .paidAfterCancel:
      order.paymentID = payment.id
      try orders.update(order, in: transaction)
      try returnSurplus(payment, of: order, in: transaction)
    case .changed: try markPaid(&order, by: payment, in: transaction)
    }
  }

  /// Marks an order as paid by a payment, in the ledger and with a receipt.
  private func markPaid(_ order: inout Order, by payment: Payment, in transaction: StoreTransaction) throws {
    order.paymentID = payment.id
    // Another order for the same product was paid while this payment was under way.
    if let owned = try owned(like: order, in: transaction) {
      order.keepFirstPrice()
      makeDuplicate(&order, of: owned)
      try orders.update(order, in: transaction)
      return try returnSurplus(payment, of: order, in: transaction)
    }
    if order.price != payment.amount {
      // The provider charged an earlier price: the ledger records the charged amount.
      order.price = payment.amount
      order.priceText = payment.amount.formatted(country: order.country, language: order.language ?? "en")
    }
    order.paidAt = transaction.now
    order.expiresAt = order.expiry(paidAt: transaction.now)
    try orders.update(order, in: transaction)
    try book(order, in: transaction)
    orders.metrics.orderPaid(in: transaction)
    try sign(&order, in: transaction)
  }

  /// Books a paid order, and gives its receipt a number. What cost nothing has neither.
  func book(_ order: Order, in transaction: StoreTransaction) throws {
    guard !order.price.isZero else { return }
    try ledger.sale(order, provider: payments.provider, in: transaction)
    try ReceiptRecords.number(order.id, entity: seller.id, in: transaction)
  }

  /// Applies an event of a payment to its order, which refers to that payment from then on.
  func transition(
    _ order: inout Order, event: OrderEvent, paymentID: String, in transaction: StoreTransaction
  ) throws {
    guard try order.state.handle(event, at: transaction.now) == .changed else { return }
    order.paymentID = paymentID
    try orders.update(order, in: transaction)
  }

  /// Signs an order's purchase and stores the receipt.
  func sign(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard var purchase = order.purchase(in: environment, fetchedAt: transaction.now) else { return }
    purchase.tax = try Ledger.tax(of: order.id, in: transaction)
    let receipt = try keys.active().sign(PurchaseJSON.history([purchase]))
    order.receipt = receipt
    try orders.setReceipt(receipt, of: order.id, in: transaction)
  }
}
