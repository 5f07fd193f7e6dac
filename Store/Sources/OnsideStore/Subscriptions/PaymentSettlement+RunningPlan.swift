import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The running plan that an open order would buy again. Its renewal is off, another plan is chosen for the next
/// renewal, or the order has an offer: the order's page changes the next renewal, and nothing is charged.
struct RunningPlan: Sendable {
  /// The paid order that gives the plan.
  let purchase: Order
  /// The subscription as it is.
  let current: CurrentSubscription
  /// The subscription after the page's button: its renewal is on, no other plan is chosen, and the offer is accepted.
  let renewed: SubscriptionMachine
  /// Price of the next renewal of ``renewed``.
  let price: Money
  /// A Boolean value that indicates whether the button accepts the order's offer.
  let acceptsOffer: Bool
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
    guard let purchase = try owned.runningPurchase(for: order, in: transaction), let key = order.subscriptionKey,
      var known = try SubscriptionRecords.subscription(key, in: transaction), known.method != nil,
      let last = try orders.order(known.lastOrder, in: transaction)
    else { return nil }
    known.machine = known.machine.asOf(transaction.now)
    let current = try CurrentSubscription(known, lastOrder: last, settlement: self, in: transaction)
    guard !current.isRenewalProcessing, known.machine.changeRenewal(by: order, at: transaction.now) else { return nil }
    let plan = known.machine.plannedPlan
    _ = known.machine.handle(.autoRenewSwitched(on: true), at: transaction.now)
    let offer = known.machine.nextOffer?.offer
    guard let price = known.machine.nextPrice, try known.mayAgree(to: plan, offer: offer, in: transaction) else {
      return nil
    }
    // An offer whose page has stated a renewal is not for the renewal after that.
    if order.wasMadeWithOffer, let paidAt = last.paidAt, paidAt > order.createdAt { return nil }
    return RunningPlan(
      purchase: purchase, current: current, renewed: known.machine, price: price, acceptsOffer: order.wasMadeWithOffer)
  }

  /// Accepts the order's offer or withdraws the chosen plan, switches the renewal on at the price that the page has
  /// shown, and ends the order as a duplicate of the running plan. An order that cannot change the renewal any more
  /// ends, too; one whose plan is over stays open.
  func renewPlan(of order: inout Order, shownPrice: Money, in transaction: StoreTransaction) throws -> PlanRenewal {
    if let key = order.subscriptionKey { try passTime(of: key, in: transaction) }
    if let plan = try runningPlan(of: order, in: transaction) {
      guard plan.price == shownPrice else { return .repriced(plan.price) }
      var known = plan.current.subscription
      let before = known.machine
      let withdrawn = plan.acceptsOffer ? try known.pendingChange(in: transaction) : nil
      guard known.machine.changeRenewal(by: order, at: transaction.now),
        try setAutoRenew(
          true, shownPrice: shownPrice, of: &known, since: before,
          toChosen: plan.acceptsOffer ? (order.product.id, order.country) : nil, in: transaction)
      else { return .ordinary }
      if let withdrawn { try prices.record(.superseded, to: withdrawn, of: known.key, in: transaction) }
      try cancellation.endAsDuplicate(&order, of: plan.purchase, offerIsAccepted: plan.acceptsOffer, in: transaction)
    }
    return try endOwnedPlan(&order, in: transaction)
  }

  /// Ends an open order for a plan that its account has already: cancels one with an offer, because the plan alone is
  /// not what it was made for. One that has ended before stays as it is.
  func endOwnedPlan(_ order: inout Order, in transaction: StoreTransaction) throws -> PlanRenewal {
    if let owned = try owned.duplicateTarget(of: order, in: transaction) {
      try cancellation.endAsDuplicate(&order, of: owned, in: transaction)
    } else if try owned.runningPurchase(for: order, in: transaction) != nil {
      try cancellation.cancel(&order, because: .offerUsed, in: transaction)
    }
    guard order.duplicateOf != nil else { return .ordinary }
    let known = try order.subscriptionKey.flatMap { try SubscriptionRecords.subscription($0, in: transaction) }
    guard let machine = known?.machine.asOf(transaction.now), machine.autoRenews, machine.nextPlan == nil,
      machine.period?.plan.productID == order.product.message.id
    else { return .unchanged }
    return .renewed
  }
}

extension SubscriptionMachine {
  /// Accepts the offer of an order for the running plan, or withdraws the plan that is chosen for the next renewal: a
  /// renewal that the choice has switched on is off again. False if the order changes nothing.
  fileprivate mutating func changeRenewal(by order: Order, at now: Date) -> Bool {
    guard isBeforeRenewalCharge(of: order.product.message.id, at: now), let present = period?.plan else { return false }
    if order.wasMadeWithOffer {
      guard let offer = order.acceptedOffer, let regular = order.plan,
        canAcceptOffer(offer.kind, of: regular, at: now)
      else { return false }
      return handle(.offerAccepted(offer, of: regular), at: now).isEmpty
    }
    guard !autoRenews || nextPlan != nil else { return false }
    return handle(.planChosen(present), at: now).isEmpty
  }
}
