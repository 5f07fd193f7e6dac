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
  let environment: StoreEnvironment
  /// The ids of renewals' orders and payments, and of grants.
  let renewalIDs: DerivedID
  let outbox: OutboxRecords
  let owned: OwnedPurchases
  let orderPayments: OrderPayments
  let cancellation: OrderCancellation
  let obstacles: PaymentObstacles
  let signer: ReceiptSigner
  let sales: SaleBooking
  let requests: RefundRequests
  let periods: PeriodOrders
  let unusedTime: UnusedTimeRefunds
  let messages: SubscriberMessageWriter
  let consents: SubscriptionConsents
  let prices: SubscriptionPrices
  let renewals: SubscriptionRenewals
  let lifecycle: SubscriptionLifecycle
  let runningPlans: RunningPlans

  init(orders: OrderRecords, keys: SigningKeys, renewalIDs: DerivedID, dependencies: StoreDependencies) {
    let (configuration, random) = (dependencies.configuration, dependencies.random)
    (self.orders, payments, outbox) = (orders, PaymentRecords(), OutboxRecords())
    ledger = Ledger(commissionBasisPoints: configuration.commissionBasisPoints)
    environment = configuration.environment
    self.renewalIDs = renewalIDs
    owned = OwnedPurchases(orders: orders)
    orderPayments = OrderPayments(orders: orders, payments: payments)
    cancellation = OrderCancellation(
      orders: orders, payments: payments, owned: owned, environment: environment, outbox: outbox)
    obstacles = PaymentObstacles(orders: orders, owned: owned)
    signer = ReceiptSigner(orders: orders, keys: keys, environment: environment)
    sales = SaleBooking(
      ledger: ledger, seller: configuration.seller, mailsReceipts: dependencies.senders.email != nil, outbox: outbox)
    requests = RefundRequests(payments: payments, ledger: ledger, environment: environment, outbox: outbox)
    periods = PeriodOrders(orders: orders, signer: signer)
    unusedTime = UnusedTimeRefunds(
      orders: orders, payments: payments, ledger: ledger, random: random, periods: periods, requests: requests)
    messages = SubscriberMessageWriter(orders: orders, payments: payments, random: random, outbox: outbox)
    consents = SubscriptionConsents(orders: orders, random: random)
    prices = SubscriptionPrices(orders: orders, random: random, messages: messages)
    renewals = SubscriptionRenewals(
      orders: orders, payments: payments, environment: environment, renewalIDs: renewalIDs, cancellation: cancellation,
      prices: prices, outbox: outbox)
    lifecycle = SubscriptionLifecycle(
      orders: orders, payments: payments, environment: environment, periods: periods, unusedTime: unusedTime,
      messages: messages, consents: consents, prices: prices, renewals: renewals)
    runningPlans = RunningPlans(
      orders: orders, owned: owned, cancellation: cancellation, prices: prices, lifecycle: lifecycle)
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
      try requests.refundSurplus(payment, of: order, in: transaction)
      if order.paymentID == payment.id {
        try orderPayments.transition(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
      }
      return
    }
    let other = order.paymentID == payment.id ? nil : order.paymentID
    try cancelIfUnpayable(&order, in: transaction)
    if payment.amount.isZero, order.state.stage == .cancelled {
      // Nothing has come, and nothing is owed.
      try orders.update(order, in: transaction)
      return try cancellation.cancelCharge(other, of: order, in: transaction)
    }
    switch try order.state.handle(.paymentSucceeded, at: transaction.now) {
    case .unchanged: try requests.refundSurplus(payment, of: order, in: transaction)
    case .paidAfterCancel:
      order.paymentID = payment.id
      try orders.update(order, in: transaction)
      try requests.refundSurplus(payment, of: order, in: transaction)
    case .changed: try markPaid(&order, by: payment, card: card, method: method, in: transaction)
    }
    try cancellation.cancelCharge(other, of: order, in: transaction)
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
    if !order.isRenewal, let owned = try owned.purchase(like: order, in: transaction) {
      order.recordFirstPrice()
      order.makeDuplicate(of: owned)
      try orders.update(order, in: transaction)
      try OfferCodeRecords.release(of: order, in: transaction)
      return try requests.refundSurplus(payment, of: order, in: transaction)
    }
    if order.price != payment.amount {
      // The provider charged an earlier price: the ledger records the charged amount.
      order.setPrice(payment.amount)
    }
    order.paidAt = transaction.now
    order.expiresAt = order.expiry(paidAt: transaction.now)
    try lifecycle.beginPeriod(of: &order, by: payment, with: method, in: transaction)
    try orders.update(order, in: transaction)
    let evidence = LocationEvidence(card: card, network: payment.networkCountry)
    try sales.book(order, provider: payment.provider, evidence: evidence, in: transaction)
    orders.metrics.orderPaid(in: transaction)
    try signer.sign(&order, in: transaction)
  }

}
