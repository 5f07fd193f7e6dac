import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The orders that pay the next periods of subscriptions. Each period has one, and each try to pay it is a payment.
extension PaymentSettlement {
  /// For how long nothing is charged beside a buyer who is paying on the order's page, in seconds.
  static let pageTime: TimeInterval = 30 * 60

  /// Does what is due for a subscription by its account's time: tells the account of what is ahead, then lets it come.
  func passTime(of key: SubscriptionKey, in transaction: StoreTransaction) throws {
    let transaction = try transaction.at(timeOf: key.account, in: environment)
    guard var subscription = try SubscriptionRecords.subscription(key, in: transaction) else { return }
    try tellAhead(of: &subscription, in: transaction)
    try deferUnannouncedPrice(of: &subscription, in: transaction)
    let effects = subscription.machine.handle(.clock, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Asks for a charge. Returns what follows when none is made: there is no method, or none that may be charged so
  /// much, a dispute is open, the buyer is on the page, or the price is deferred.
  func ask(
    for charge: SubscriptionCharge, of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    try endQuestion(of: subscription, in: transaction)
    if let effects = try deferPrice(ifUnannounced: charge, of: &subscription, in: transaction) { return effects }
    guard var order = try renewal(for: charge, of: &subscription, in: transaction) else {
      return subscription.machine.handle(.chargeFailed(charge, hasMethod: false), at: transaction.now)
    }
    // Else it is asked for already, or the buyer has paid it on its page.
    guard order.state.stage == .open else { return [] }
    if try !isCovered(order, of: subscription, in: transaction) { subscription.method = nil }
    // Also during a dispute: without a method there is no grace period.
    guard let payment = try payment(of: order, of: subscription, in: transaction) else {
      return subscription.machine.handle(.chargeFailed(charge, hasMethod: false), at: transaction.now)
    }
    guard try mayCharge(order, of: subscription.key, in: transaction) else {
      return subscription.machine.handle(.chargeFailed(charge), at: transaction.now)
    }
    try start(payment, for: charge, of: subscription, order: &order, in: transaction)
    return []
  }

  /// Whether a renewal is charged without its buyer: nothing is taken beside one who is paying on the order's page, nor
  /// from who objects to a payment, who may still pay there.
  private func mayCharge(_ order: Order, of key: SubscriptionKey, in transaction: StoreTransaction) throws -> Bool {
    let recently = transaction.now - Self.pageTime
    if let current = order.paymentID, try payments.isWithBuyer(current, since: recently, in: transaction) {
      return false
    }
    return try DisputeRecords.holdingRenewals(of: key, in: transaction) == nil
  }

  /// Starts the payment of a renewal in place of the one before, and writes the outbox row that asks for the charge.
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

  /// A new payment of a renewal with the subscription's method; nil without one.
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

  /// Cancels the order of a period that will not be paid any more. Money that comes all the same goes back.
  func giveUpRenewal(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let id = subscription.renewalOrder else { return }
    subscription.renewalOrder = nil
    guard var order = try orders.order(id, in: transaction) else { return }
    _ = try order.state.handle(.paymentDeclined, at: transaction.now)
    try cancellation.cancel(&order, because: .subscriptionEnded, in: transaction)
  }

  /// The order of the period that a charge is for, at the charge's price; nil for a plan without a consent.
  private func renewal(
    for charge: SubscriptionCharge, of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> Order? {
    if let id = subscription.renewalOrder, var known = try orders.order(id, in: transaction),
      known.state.stage != .cancelled, known.state.stage != .open || known.isPayment(of: charge)
    {
      if known.state.stage == .open, known.price != charge.price {
        known.setPrice(charge.price)
        try orders.update(known, in: transaction)
      }
      return known
    }
    // Its buyer has chosen another plan since.
    try giveUpRenewal(of: &subscription, in: transaction)
    guard let last = try orders.order(subscription.lastOrder, in: transaction) else { throw OrderError.notFound }
    guard let (product, country) = try renewed(last, by: charge, of: subscription, in: transaction) else {
      return nil
    }
    let (key, end) = (subscription.key, subscription.paidEnd(transaction))
    let id = try renewalIDs.firstFree(at: end, of: "\(key.account) \(key.app) \(key.group) \(charge.number) order") {
      try orders.order($0, in: transaction) != nil
    }
    var order = Order(
      id: id, accountID: last.accountID, appID: last.appID, product: product,
      quantity: 1, country: country, price: charge.price, priceText: last.priceText,
      offerID: product.message.offers.first { $0.kind == charge.offer?.kind }?.id, state: OrderState(),
      reason: .renewal,
      appAccountToken: last.appAccountToken, language: last.language, createdAt: transaction.now,
      originalOrderID: subscription.firstOrder)
    order.setPrice(charge.price)
    try orders.insert(order, in: transaction)
    try SubscriptionRecords.insert(period: charge.number, of: subscription.key, order: order.id, in: transaction)
    subscription.renewalOrder = order.id
    return order
  }

  /// The period that a renewal's order pays, as the provider is told of it; nil for another order.
  func chargedPeriod(of order: Order, in transaction: StoreTransaction) throws -> ChargedPeriod? {
    guard order.isRenewal, let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction)
    else { return nil }
    return chargedPeriod(known.number, of: known.subscription, order, in: transaction)
  }

  private func chargedPeriod(
    _ number: Int, of subscription: StoredSubscription, _ order: Order, in transaction: StoreTransaction
  ) -> ChargedPeriod? {
    subscription.machine.period.map { paid in
      ChargedPeriod(
        number, of: subscription.key, product: order.product.message.id, paid: transaction.storeTime(of: paid.start))
    }
  }

  /// The price of a subscription's unpaid period, which an order for the same plan pays in the grace period: that of
  /// the period's own order, to which its messages lead. Nil for every other order.
  func duePrice(of order: Order, in transaction: StoreTransaction) throws -> Money? {
    guard !order.isRenewal, order.plan != nil, order.offerID == nil, let key = order.subscriptionKey,
      let known = try SubscriptionRecords.subscription(key, in: transaction),
      known.machine.asOf(transaction.now).stage == .grace, let id = known.renewalOrder,
      let renewal = try orders.order(id, in: transaction), renewal.state.stage == .open, renewal.offerID == nil,
      renewal.product.message.id == order.product.message.id, renewal.country == order.country
    else { return nil }
    return renewal.price
  }

  /// The product of a next period, and the region of its price: those of the last period, or of the plan or the offer
  /// that was chosen since. Nil without a consent to that plan.
  private func renewed(
    _ last: Order, by charge: SubscriptionCharge, of subscription: StoredSubscription, in transaction: StoreTransaction
  ) throws -> (OrderedProduct, CountryCode)? {
    let isSame = charge.plan.productID == last.product.message.id
    if isSame, subscription.machine.nextOffer == nil { return (last.product, last.country) }
    guard let consent = try SubscriptionConsentRecords.present(of: subscription, in: transaction),
      consent.product == charge.plan.productID
    else { return nil }
    return (try orders.products.product(consent.orderedProduct, in: transaction), consent.country)
  }
}

extension Order {
  /// A Boolean value that indicates whether an open renewal pays a charge: of the same plan, and with an offer if the
  /// charge has one.
  fileprivate func isPayment(of charge: SubscriptionCharge) -> Bool {
    product.message.id == charge.plan.productID && (offerID == nil) == (charge.offer == nil)
  }
}

extension StoredSubscription {
  /// The end of the paid period, which copies of the database agree on; the present before the first one.
  fileprivate func paidEnd(_ transaction: StoreTransaction) -> Date { machine.period?.end ?? transaction.now }
}
