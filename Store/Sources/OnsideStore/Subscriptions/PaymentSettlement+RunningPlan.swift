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

/// Orders for the plan that their account has already.
extension PaymentSettlement {
  /// The running plan that the page of an open order can renew; nil for every other order, and while a payment of the
  /// next period is under way.
  func runningPlan(of order: Order, in transaction: StoreTransaction) throws -> RunningPlan? {
    guard try ownedPlan(of: order, in: transaction) != nil, let key = order.subscriptionKey,
      var known = try SubscriptionRecords.subscription(key, in: transaction), known.method != nil,
      let last = try orders.order(known.lastOrder, in: transaction)
    else { return nil }
    known.machine = known.machine.asOf(transaction.now)
    let current = try CurrentSubscription(known, lastOrder: last, settlement: self, in: transaction)
    guard current.canRenewAgain(as: order.product.message.id) else { return nil }
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
  /// duplicate of the running plan. An order whose plan is renewed already ends, too; one whose plan is over stays
  /// open.
  func renewPlan(of order: inout Order, shownPrice: Money, in transaction: StoreTransaction) throws -> PaymentOutcome {
    switch order.state.stage {
    case .paid: return .paid
    case .processing: return .pending
    case .cancelled: return .closed
    case .open: break
    }
    if let key = order.subscriptionKey { try passTime(of: key, in: transaction) }
    guard let owned = try ownedPlan(of: order, in: transaction) else { return .closed }
    if let plan = try runningPlan(of: order, in: transaction) {
      guard plan.price == shownPrice else { return .priceChanged(plan.price) }
      var known = plan.current.subscription
      let before = known.machine
      known.machine.withdrawChoice(at: transaction.now)
      guard try setAutoRenew(true, shownPrice: shownPrice, of: &known, since: before, in: transaction) else {
        return .closed
      }
    }
    try endAsDuplicate(&order, of: owned, in: transaction)
    return .paid
  }
}

extension CurrentSubscription {
  /// A Boolean value that indicates whether a product is the running plan and does not renew as things stand.
  fileprivate func canRenewAgain(as product: String) -> Bool {
    let machine = subscription.machine
    return machine.stage == .active && machine.period?.plan.productID == product && machine.openCharge == nil
      && !isRenewalProcessing && (!machine.autoRenews || machine.nextPlan != nil)
  }
}

extension SubscriptionMachine {
  /// Withdraws the plan that is chosen for the next renewal. A renewal that the choice has switched on is off again.
  fileprivate mutating func withdrawChoice(at now: Date) {
    if let plan = period?.plan { _ = handle(.planChosen(plan), at: now) }
  }
}
