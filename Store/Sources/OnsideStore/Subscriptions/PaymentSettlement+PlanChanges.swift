import Foundation
import OnsideAPI
public import OnsideCommerce
import StoreBase

/// Changes of plan that start at once: the new plan is paid first, then the plan before it ends, and the part of its
/// price that was not used goes back.
extension PaymentSettlement {
  /// Whether a plan that an account has keeps an order's plan from starting now. A higher plan takes the place of the
  /// one before, as does one of the same level and length; every other one starts with the next renewal.
  func isBlockedByPlan(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    let others = try orders.subscriptions(inGroupOf: order, in: transaction).filter {
      $0.isAnotherPlan(than: order.product.message, at: transaction.now)
    }
    guard !others.isEmpty else { return false }
    guard let plan = order.plan, let key = order.subscriptionKey,
      let machine = try SubscriptionRecords.subscription(key, in: transaction)?.machine.asOf(transaction.now),
      machine.start(of: plan) == .atOnce
    else { return true }
    return false
  }

  /// Ends now what an account still has of its group's other plans, because an order's plan has taken their place.
  func endOtherPlans(than order: Order, in transaction: StoreTransaction) throws {
    for other in try orders.subscriptions(inGroupOf: order, in: transaction)
    where other.isAnotherPlan(than: order.product.message, at: transaction.now) {
      try end(other, in: transaction)
    }
  }

  /// Ends an order's time now; the signed history says so, too.
  func end(_ order: Order, in transaction: StoreTransaction) throws {
    try move(order, to: transaction.now, in: transaction)
  }

  /// Moves the end of an order and of its duplicates; the signed history says so, too.
  func move(_ order: Order, to end: Date, in transaction: StoreTransaction) throws {
    var order = order
    order.expiresAt = end
    try orders.update(order, in: transaction)
    try sign(&order, in: transaction)
    for var duplicate in try orders.orders(.duplicates(of: order.id), of: order.customer, in: transaction) {
      duplicate.expiresAt = end
      try orders.update(duplicate, in: transaction)
    }
  }

  /// Refunds the unused time of a period, at most the unrefunded part of its price. The refund revokes nothing,
  /// whatever the app's rule for refunds. While a bank holds the money, the refund is recorded as failed, and the end of
  /// the dispute repeats it.
  func refundUnused(
    _ unused: Money, of period: PaidPeriod, in key: SubscriptionKey, from origin: Refund.Origin = .planChange,
    because reason: RevocationReason = .refund, transaction: StoreTransaction
  ) throws {
    guard let order = try paidOrder(ofPeriod: period.number, in: key, connection: transaction),
      let id = order.paymentID, let payment = try payments.payment(id, in: transaction)
    else { return }
    let isHeld = try DisputeRecords.holding(id, of: order.id, in: transaction) != nil
    let amount = try owed(unused, of: order, isHeld: isHeld, in: transaction)
    guard !amount.isZero else { return }
    var refund = Refund(
      id: random.uuid7(at: transaction.now).lowercase, orderID: order.id, paymentID: id, amount: amount,
      isSurplus: false, reason: reason, origin: origin, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try bookMoney(refund, of: order, in: transaction)
    guard isHeld else { return try request(refund, of: payment, in: transaction) }
    (refund.state, refund.endedAt, refund.failure) = (.failed, transaction.now, Self.heldByBank)
    try RefundRecords.update(refund, in: transaction)
    let total = try RefundRecords.refunds(of: order.id, in: transaction).total
    try ledger.refundFailed(refund, of: order, total: total, in: transaction)
    orders.metrics.refundFailed(in: transaction)
  }

  /// The refund of an unused part, rounded up to the provider's step: no more than is left of the order's price. What
  /// a bank holds may come back.
  private func owed(
    _ unused: Money, of order: Order, isHeld: Bool, in connection: any SQLConnection
  ) throws -> Money {
    let refunds = try RefundRecords.refunds(of: order.id, in: connection)
    let gone = isHeld ? refunds.filter { $0.origin != .bank }.total : refunds.total
    let left = max(0, order.price.minorUnits - gone)
    let step = try refundStep(of: order, in: connection).minorUnits
    let rounded = (unused.minorUnits + step - 1) / step * step
    return Money(minorUnits: min(rounded, left), currency: order.price.currency)
  }

  /// What an open order's plan would take the place of, if it were paid now.
  func replacement(by order: Order, at now: Date, in connection: any SQLConnection) throws -> PlanReplacement? {
    guard order.state.stage == .open, !order.isRenewal, let plan = order.plan, let key = order.subscriptionKey
    else { return nil }
    return try replacement(by: plan, in: key, at: now, connection: connection)
  }

  /// What a plan would take the place of, if it were paid now; nil when no other plan runs, or when it starts later.
  func replacement(
    by plan: SubscriptionPlan, in key: SubscriptionKey, at now: Date, connection: any SQLConnection
  ) throws -> PlanReplacement? {
    guard let known = try SubscriptionRecords.subscription(key, in: connection) else { return nil }
    var machine = known.machine.asOf(now)
    guard machine.stage == .active, machine.start(of: plan) == .atOnce,
      let last = try orders.order(known.lastOrder, in: connection)
    else { return nil }
    var amount: Int64 = 0
    for case .refundUnused(let unused, let period) in machine.handle(.purchased(plan), at: now) {
      guard let order = try paidOrder(ofPeriod: period.number, in: key, connection: connection) else { continue }
      amount += try owed(unused, of: order, isHeld: false, in: connection).minorUnits
    }
    return PlanReplacement(
      plan: last.product.message.title, givesBack: Money(minorUnits: amount, currency: last.price.currency),
      country: last.country)
  }

  /// The order whose money a period was paid with.
  func paidOrder(
    ofPeriod number: Int, in key: SubscriptionKey, connection: any SQLConnection
  ) throws -> Order? {
    try SubscriptionRecords.orders(ofPeriod: number, of: key, in: connection)
      .compactMap { try orders.order($0, in: connection) }
      .first { $0.state.stage == .paid && $0.duplicateOf == nil && $0.state.revocation == nil }
  }
}

/// A plan that another one takes the place of as soon as that is paid.
public struct PlanReplacement: Sendable, Hashable {
  /// The title of the plan that ends.
  public var plan: String
  /// What goes back for its unused time, if the other one is paid now; less with every second.
  public var givesBack: Money
  /// The region that it was bought in.
  public var country: CountryCode
}
