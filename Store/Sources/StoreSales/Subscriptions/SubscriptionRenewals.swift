import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// The charges of renewals. Each period has one order, and each attempt to pay it is a payment.
struct SubscriptionRenewals: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let environment: StoreEnvironment
  /// The ids of orders and payments, which a restored database repeats.
  let renewalIDs: DerivedID
  let cancellation: OrderCancellation
  let prices: SubscriptionPrices
  let outbox: OutboxRecords

  /// Requests a charge. Returns the effects of its failure if no charge is made: the subscription has no method, the
  /// consent does not cover the price, a payment is disputed, the buyer is on the payment page, or the price is
  /// deferred.
  func requestCharge(
    for charge: SubscriptionCharge, of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    try prices.endQuestion(of: subscription, in: transaction)
    if let effects = try prices.deferPrice(ifUnannounced: charge, of: &subscription, in: transaction) { return effects }
    guard var order = try renewal(for: charge, of: &subscription, in: transaction) else {
      return subscription.machine.handle(.chargeFailed(charge, hasMethod: false), at: transaction.now)
    }
    // Otherwise the charge is pending, or the buyer has paid on the payment page.
    guard order.state.stage == .open else { return [] }
    if try !subscription.consentCovers(order, in: transaction) { subscription.method = nil }
    // Before the check for disputes, because a subscription without a method has no grace period.
    guard let payment = try payment(of: order, of: subscription, in: transaction) else {
      return subscription.machine.handle(.chargeFailed(charge, hasMethod: false), at: transaction.now)
    }
    guard try mayCharge(order, of: subscription.key, in: transaction) else {
      return subscription.machine.handle(.chargeFailed(charge), at: transaction.now)
    }
    try start(payment, for: charge, of: subscription, order: &order, in: transaction)
    return []
  }

  /// A Boolean value that indicates whether a renewal may be charged without its buyer. It may not while the buyer is
  /// on the payment page or disputes a payment. The buyer can still pay on the page.
  private func mayCharge(_ order: Order, of key: SubscriptionKey, in transaction: StoreTransaction) throws -> Bool {
    let recently = transaction.now - Payment.pageTime
    if let current = order.paymentID, try payments.isWithBuyer(current, since: recently, in: transaction) {
      return false
    }
    return try DisputeRecords.holdingRenewals(of: key, in: transaction) == nil
  }

  /// Returns a new payment of a renewal with the subscription's method, or nil without a method.
  private func payment(
    of order: Order, of subscription: StoredSubscription, in transaction: StoreTransaction
  ) throws -> Payment? {
    let account = subscription.key.account
    guard let id = subscription.method,
      let method = try PaymentMethodRecords.method(id, of: account, in: transaction)
    else { return nil }
    let payment = try renewalIDs.firstFree(at: subscription.paidEnd(transaction), of: "\(order.id.lowercase) payment") {
      try payments.payment($0.lowercase, in: transaction) != nil
    }
    return Payment(
      id: payment.lowercase, orderID: order.id, provider: method.provider, method: method.details.reference,
      isSaved: true,
      amount: order.price, state: .started, step: 1)
  }

  /// Starts the payment of a renewal in place of the earlier one, and inserts the outbox row of the charge.
  private func start(
    _ payment: Payment, for charge: SubscriptionCharge, of subscription: StoredSubscription, order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    try payments.save(payment, in: transaction)
    try cancellation.cancelCharge(order.paymentID, of: order, in: transaction)
    order.paymentID = payment.id
    _ = try order.state.handle(.paymentStarted, at: transaction.now)
    try orders.update(order, in: transaction)
    let request = ChargeRequest(
      payment, account: order.accountID, environment: environment, askedAt: transaction.storeNow,
      period: chargedPeriod(charge.number, of: subscription, order, in: transaction))
    try outbox.add(
      PaymentOutboxKind.renew, payload: try OutboxPayload.text(request), due: transaction.now, in: transaction)
  }

  /// A Boolean value that indicates whether a renewal may still be charged: the account exists and wants renewals,
  /// disputes no payment of the subscription, uses the same method, and has consented to the amount.
  func isAgreed(_ request: ChargeRequest, of id: UUID, in transaction: StoreTransaction) throws -> Bool {
    guard let order = try orders.order(id, in: transaction), order.awaits(payment: request.id),
      order.paymentID == request.id, order.price.minorUnits == request.amount,
      let known = try SubscriptionRecords.subscription(ofOrder: id, in: transaction),
      known.subscription.machine.autoRenews,
      try DisputeRecords.holdingRenewals(
        of: known.subscription.key, in: transaction.at(timeOf: order.accountID, in: environment)) == nil,
      try known.subscription.consentCovers(order, in: transaction)
    else { return false }
    let method = try known.subscription.method.flatMap {
      try PaymentMethodRecords.method($0, of: order.accountID, in: transaction)
    }
    return method?.reference == MethodReference(provider: request.provider, id: request.method)
  }
}
