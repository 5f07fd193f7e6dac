import Foundation
import OnsideCommerce

/// The running plan that an open order would buy again. Its renewal is off, another plan is chosen for the next
/// renewal, or the order has an offer. The order's page changes the next renewal, and nothing is charged.
struct RunningPlan: Sendable {
  /// The paid order of the plan.
  let purchase: Order
  /// The present subscription.
  let current: CurrentSubscription
  /// The subscription after the button of the page: its renewal is on, no other plan is chosen, and the offer is
  /// accepted.
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
  /// The price of the next renewal differs from the page. Nothing changes.
  case repriced(Money)
  /// The order is no duplicate: it is open, paid or cancelled. Nothing changes.
  case ordinary
}
