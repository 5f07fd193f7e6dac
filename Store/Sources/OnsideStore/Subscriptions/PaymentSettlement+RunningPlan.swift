import Foundation
import OnsideAPI
import OnsideCommerce

/// The running plan that an open order would buy again. Its renewal is off, or another plan is chosen for the next
/// renewal: the order's page switches the renewal on, and nothing is charged.
struct RunningPlan: Sendable {
  /// The subscription as it is.
  let current: CurrentSubscription
  /// The subscription with its renewal on, and without the chosen plan.
  let renewed: SubscriptionMachine
  /// Price of the next renewal of ``renewed``.
  let price: Money
}

/// The result of a step on the page of an order for the running plan.
enum PlanRenewal: Sendable, Hashable {
  /// The order has ended as a duplicate, and the plan renews.
  case renewed
  /// The order has ended as a duplicate. The plan does not renew, or changes to another one.
  case unchanged
  /// The price of the next renewal is another one than the page has shown; nothing was changed.
  case repriced(Money)
  /// The order is no duplicate: it is to be paid, was paid or cancelled; nothing was changed.
  case ordinary
}

/// Orders for the plan that their account has already.
extension PaymentSettlement {
  /// The running plan that the page of an open order can renew; nil for every other order, from the time of the next
  /// charge on, and while the next period is unpaid.
  func runningPlan(of order: Order, in transaction: StoreTransaction) throws -> RunningPlan? {
    guard try ownedPlan(of: order, in: transaction) != nil, let key = order.subscriptionKey,
      var known = try SubscriptionRecords.subscription(key, in: transaction), known.method != nil,
      let last = try orders.order(known.lastOrder, in: transaction)
    else { return nil }
    known.machine = known.machine.asOf(transaction.now)
    let current = try CurrentSubscription(known, lastOrder: last, settlement: self, in: transaction)
    guard current.canRenewAgain(as: order.product.message.id, at: transaction.now) else { return nil }
    known.machine.withdrawChoice(at: transaction.now)
    let plan = known.machine.plannedPlan
    _ = known.machine.handle(.autoRenewSwitched(on: true), at: transaction.now)
    guard let price = known.machine.nextPrice, try mayAgree(to: plan, of: known, in: transaction) else { return nil }
    return RunningPlan(current: current, renewed: known.machine, price: price)
  }

  /// The paid order that already gives the plan of an open order; nil for an order that was made with an offer of its
  /// own, because the plan alone is not what it was made for.
  func ownedPlan(of order: Order, in transaction: StoreTransaction) throws -> Order? {
    guard order.state.stage == .open, !order.isRenewal, order.plan != nil, !order.wasMadeWithOffer else { return nil }
    return try owned(like: order, in: transaction)
  }

  /// Withdraws the chosen plan, switches the renewal on at the price that the page has shown, and ends the order as a
  /// duplicate of the running plan. An order whose plan cannot be renewed any more ends, too; one whose plan is over
  /// stays open.
  func renewPlan(of order: inout Order, shownPrice: Money, in transaction: StoreTransaction) throws -> PlanRenewal {
    if let key = order.subscriptionKey { try passTime(of: key, in: transaction) }
    if let plan = try runningPlan(of: order, in: transaction) {
      guard plan.price == shownPrice else { return .repriced(plan.price) }
      var known = plan.current.subscription
      let before = known.machine
      known.machine.withdrawChoice(at: transaction.now)
      guard try setAutoRenew(true, shownPrice: shownPrice, of: &known, since: before, in: transaction) else {
        return .ordinary
      }
    }
    return try endOwnedPlan(&order, in: transaction)
  }

  /// Ends an open order for a plan that its account has already; one that has ended before stays as it is.
  func endOwnedPlan(_ order: inout Order, in transaction: StoreTransaction) throws -> PlanRenewal {
    if let owned = try ownedPlan(of: order, in: transaction) {
      try endAsDuplicate(&order, of: owned, in: transaction)
    }
    guard order.duplicateOf != nil else { return .ordinary }
    let known = try order.subscriptionKey.flatMap { try SubscriptionRecords.subscription($0, in: transaction) }
    guard let machine = known?.machine.asOf(transaction.now), machine.autoRenews, machine.nextPlan == nil,
      machine.period?.plan.productID == order.product.message.id
    else { return .unchanged }
    return .renewed
  }
}

extension CurrentSubscription {
  /// A Boolean value that indicates whether a product is the running plan, does not renew as things stand, and is not
  /// charged for its next period yet.
  fileprivate func canRenewAgain(as product: String, at now: Date) -> Bool {
    let machine = subscription.machine
    guard machine.stage == .active, let period = machine.period, period.plan.productID == product,
      now < period.end - machine.terms.leadTime
    else { return false }
    return !machine.isBeingRenewed && !isRenewalProcessing && (!machine.autoRenews || machine.nextPlan != nil)
  }
}

extension SubscriptionMachine {
  /// Withdraws the plan that is chosen for the next renewal. A renewal that the choice has switched on is off again.
  fileprivate mutating func withdrawChoice(at now: Date) {
    if let plan = period?.plan { _ = handle(.planChosen(plan), at: now) }
  }
}
