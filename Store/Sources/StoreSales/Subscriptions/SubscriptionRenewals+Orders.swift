import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// The orders of renewals.
extension SubscriptionRenewals {
  /// Returns the order of a charge's period, at the charge's price, or nil for a plan without a consent.
  func renewal(
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
    // The buyer has chosen another plan since.
    try cancelRenewal(of: &subscription, in: transaction)
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

  /// Returns the product of the next period and the region of its price: those of the last period, or of a plan or
  /// offer that was chosen since. Returns nil without a consent to that plan.
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

  /// Cancels the order of the next period. A payment that succeeds later is refunded.
  func cancelRenewal(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let id = subscription.renewalOrder else { return }
    subscription.renewalOrder = nil
    guard var order = try orders.order(id, in: transaction) else { return }
    _ = try order.state.handle(.paymentDeclined, at: transaction.now)
    try cancellation.cancel(&order, because: .subscriptionEnded, in: transaction)
  }

  /// Returns the price of a subscription's unpaid period, which an order for the same plan pays in the grace period.
  /// The price is that of the period's renewal, to which messages link. Returns nil for every other order.
  func duePrice(of order: Order, in transaction: StoreTransaction) throws -> Money? {
    guard !order.isRenewal, order.plan != nil, order.offerID == nil, let key = order.subscriptionKey,
      let known = try SubscriptionRecords.subscription(key, in: transaction),
      known.machine.asOf(transaction.now).stage == .grace, let id = known.renewalOrder,
      let renewal = try orders.order(id, in: transaction), renewal.state.stage == .open, renewal.offerID == nil,
      renewal.product.message.id == order.product.message.id, renewal.country == order.country
    else { return nil }
    return renewal.price
  }

  /// Returns the period of a renewal for its provider, or nil for another order.
  func chargedPeriod(of order: Order, in transaction: StoreTransaction) throws -> ChargedPeriod? {
    guard order.isRenewal, let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction)
    else { return nil }
    return chargedPeriod(known.number, of: known.subscription, order, in: transaction)
  }

  func chargedPeriod(
    _ number: Int, of subscription: StoredSubscription, _ order: Order, in transaction: StoreTransaction
  ) -> ChargedPeriod? {
    subscription.machine.period.map { paid in
      ChargedPeriod(
        number, of: subscription.key, product: order.product.message.id, paid: transaction.storeTime(of: paid.start))
    }
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
  /// The end of the paid period, which is the same in copies of the database; the present time before the first period.
  func paidEnd(_ transaction: StoreTransaction) -> Date { machine.period?.end ?? transaction.now }
}
