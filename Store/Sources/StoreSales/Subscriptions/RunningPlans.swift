import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Orders for plans that their accounts own. The page of such an order changes the next renewal, and nothing is
/// charged.
struct RunningPlans: Sendable {
  let orders: OrderRecords
  let owned: OwnedPurchases
  let cancellation: OrderCancellation
  let prices: SubscriptionPrices
  let lifecycle: SubscriptionLifecycle

  /// Returns the running plan that the page of an open order can renew. Returns nil for every other order, from the
  /// time of the next charge on, and while the next period is unpaid.
  func plan(of order: Order, in transaction: StoreTransaction) throws -> RunningPlan? {
    guard let purchase = try owned.runningPurchase(for: order, in: transaction), let key = order.subscriptionKey,
      var known = try SubscriptionRecords.subscription(key, in: transaction), known.method != nil,
      let last = try orders.order(known.lastOrder, in: transaction)
    else { return nil }
    known.machine = known.machine.asOf(transaction.now)
    let current = try CurrentSubscription(known, lastOrder: last, orders: orders, in: transaction)
    guard !current.isRenewalProcessing, known.machine.changeRenewal(by: order, at: transaction.now) else { return nil }
    let plan = known.machine.plannedPlan
    _ = known.machine.handle(.autoRenewSwitched(on: true), at: transaction.now)
    let offer = known.machine.nextOffer?.offer
    guard let price = known.machine.nextPrice, try known.mayAgree(to: plan, offer: offer, in: transaction) else {
      return nil
    }
    // An offer whose payment page has stated a renewal does not apply to the renewal after that one.
    if order.wasMadeWithOffer, let paidAt = last.paidAt, paidAt > order.createdAt { return nil }
    return RunningPlan(
      purchase: purchase, current: current, renewed: known.machine, price: price, acceptsOffer: order.wasMadeWithOffer)
  }

  /// Accepts the order's offer or withdraws the chosen plan, switches the renewal on at the price of the page, and ends
  /// the order as a duplicate of the running plan. An order that can no longer change the renewal ends, too. An order
  /// whose plan has expired stays open.
  func renewPlan(of order: inout Order, shownPrice: Money, in transaction: StoreTransaction) throws -> PlanRenewal {
    if let key = order.subscriptionKey { try lifecycle.passTime(of: key, in: transaction) }
    if let plan = try plan(of: order, in: transaction) {
      guard plan.price == shownPrice else { return .repriced(plan.price) }
      var known = plan.current.subscription
      let before = known.machine
      let withdrawn = plan.acceptsOffer ? try known.pendingChange(in: transaction) : nil
      guard known.machine.changeRenewal(by: order, at: transaction.now),
        try lifecycle.setAutoRenew(
          true, shownPrice: shownPrice, of: &known, since: before,
          toChosen: plan.acceptsOffer ? (order.product.id, order.country) : nil, in: transaction)
      else { return .ordinary }
      if let withdrawn { try prices.record(.superseded, to: withdrawn, of: known.key, in: transaction) }
      try cancellation.endAsDuplicate(&order, of: plan.purchase, offerIsAccepted: plan.acceptsOffer, in: transaction)
    }
    return try endOrder(&order, in: transaction)
  }

  /// Ends an open order for a plan that its account owns as a duplicate. Cancels an order with an offer, because the
  /// buyer has ordered the offer and not the plan alone. An order that has ended before does not change.
  func endOrder(_ order: inout Order, in transaction: StoreTransaction) throws -> PlanRenewal {
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
  /// Accepts the offer of an order for the running plan, or withdraws the plan that is chosen for the next renewal,
  /// with the renewal that the choice has switched on. Returns false if the order changes nothing.
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
