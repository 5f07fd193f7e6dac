import Foundation
import OnsideAPI
public import OnsideCommerce
import StoreAccounts
import StoreBase

/// The plan that another plan replaces when it is paid.
public struct PlanReplacement: Sendable, Hashable {
  /// Title of the plan that ends.
  public var plan: String
  /// Refund for the unused time if the other plan is paid now. It decreases with time.
  public var givesBack: Money
  /// Region of the purchase.
  public var country: CountryCode
}

extension UnusedTimeRefunds {
  /// Returns the plan that the payment of an open order would replace now, or nil.
  func replacement(by order: Order, at now: Date, in connection: any SQLConnection) throws -> PlanReplacement? {
    guard order.state.stage == .open, !order.isRenewal, let plan = order.plan, let key = order.subscriptionKey
    else { return nil }
    return try replacement(by: plan, in: key, at: now, connection: connection)
  }

  /// Returns the plan that the payment of another plan would replace now. Returns nil if no other plan is active, or
  /// the new one starts with the next renewal.
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
      guard let order = try periods.paidOrder(ofPeriod: period.number, in: key, connection: connection) else {
        continue
      }
      amount += try self.amount(unused, of: order, isHeld: false, in: connection).minorUnits
    }
    return PlanReplacement(
      plan: last.product.message.title, givesBack: Money(minorUnits: amount, currency: last.price.currency),
      country: last.country)
  }
}
