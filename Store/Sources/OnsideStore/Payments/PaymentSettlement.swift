import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

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
  /// Whether the store has a mail server.
  let mailsReceipts: Bool
  let random: any RandomSource
  /// The ids of renewals' orders and payments, and of grants.
  let renewalIDs: DerivedID
  let outbox = OutboxRecords()

  /// Records a payment's new state and returns the payment; nil when the event changes nothing. A payment that the
  /// store did not start was made on the provider's own page.
  func recordPayment(
    _ charge: ChargeReport, of order: Order, from provider: String, state: Payment.State,
    decline: DeclineReason? = nil, in transaction: StoreTransaction
  ) throws -> Payment? {
    let new = Payment(
      id: charge.id, orderID: order.id, provider: provider, method: nil, amount: charge.amount, state: state,
      decline: decline, reference: charge.reference)
    if try payments.insert(new, in: transaction) {
      orders.metrics.paymentReported(state, in: transaction)
      return new
    }
    guard var known = try payments.payment(charge.id, in: transaction), known.orderID == order.id,
      known.provider == provider
    else { throw PaymentError.notFound }
    guard known.state.mayBecome(state) else { return nil }
    guard known.amount == charge.amount else {
      throw PaymentAmountMismatch(payment: charge.id, expected: known.amount, found: charge.amount)
    }
    known.state = state
    known.decline = decline
    known.reference = charge.reference ?? known.reference
    try payments.save(known, in: transaction)
    orders.metrics.paymentReported(state, in: transaction)
    return known
  }

  /// Applies a succeeded payment, whichever attempt it belongs to. It pays the order, unless the order is paid already
  /// or may no longer be paid: then the payment is refunded.
  ///
  /// - Parameter method: the id of the method that paid, where it can be charged again.
  func applySuccess(
    of payment: Payment, card: CountryCode? = nil, method: String? = nil, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    let isAgreed = payment.isOurs && !isOfLostOffer(payment, order) || payment.amount == order.price
    guard isAgreed, order.duplicateOf == nil else {
      try returnSurplus(payment, of: order, in: transaction)
      if order.paymentID == payment.id {
        try transition(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
      }
      return
    }
    let other = order.paymentID == payment.id ? nil : order.paymentID
    try cancelIfUnpayable(&order, in: transaction)
    if payment.amount.isZero, order.state.stage == .cancelled {
      // Nothing has come, and nothing is owed.
      try orders.update(order, in: transaction)
      return try abandon(other, of: order, in: transaction)
    }
    switch try order.state.handle(.paymentSucceeded, at: transaction.now) {
    case .unchanged: try returnSurplus(payment, of: order, in: transaction)
    case .paidAfterCancel:
      order.paymentID = payment.id
      try orders.update(order, in: transaction)
      try returnSurplus(payment, of: order, in: transaction)
    case .changed: try markPaid(&order, by: payment, card: card, method: method, in: transaction)
    }
    try abandon(other, of: order, in: transaction)
  }

  /// Whether a charge is of the introductory price that its order had, and has lost since: the offer was used with
  /// another order.
  private func isOfLostOffer(_ payment: Payment, _ order: Order) -> Bool {
    order.offerID == nil
      && (order.firstProduct ?? order.product).message.offers.contains {
        $0.kind == .introductory && $0.price.money == payment.amount
      }
  }

  /// Marks an order as paid by a payment, in the ledger and with a receipt.
  private func markPaid(
    _ order: inout Order, by payment: Payment, card: CountryCode?, method: String?, in transaction: StoreTransaction
  ) throws {
    order.paymentID = payment.id
    // Another order for the same product was paid while this payment was under way.
    if !order.isRenewal, let owned = try owned(like: order, in: transaction) {
      order.recordFirstPrice()
      makeDuplicate(&order, of: owned)
      try orders.update(order, in: transaction)
      try OfferCodeRecords.release(of: order, in: transaction)
      return try returnSurplus(payment, of: order, in: transaction)
    }
    if order.price != payment.amount {
      // The provider charged an earlier price: the ledger records the charged amount.
      order.setPrice(payment.amount)
    }
    order.paidAt = transaction.now
    order.expiresAt = order.expiry(paidAt: transaction.now)
    try beginPeriod(of: &order, by: payment, with: method, in: transaction)
    try orders.update(order, in: transaction)
    let evidence = LocationEvidence(card: card, network: payment.networkCountry)
    try book(order, provider: payment.provider, evidence: evidence, in: transaction)
    orders.metrics.orderPaid(in: transaction)
    try sign(&order, in: transaction)
  }

  /// Books a paid order, gives its receipt a number, and lets it be mailed. What cost nothing has none of it.
  func book(
    _ order: Order, provider: String, evidence: LocationEvidence = LocationEvidence(),
    in transaction: StoreTransaction
  ) throws {
    guard !order.price.isZero else { return }
    try ledger.sale(order, provider: provider, evidence: evidence, in: transaction)
    try ReceiptRecords.number(order.id, entity: seller.id, in: transaction)
    if mailsReceipts { try ReceiptMailer.request(order, by: outbox, in: transaction) }
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
