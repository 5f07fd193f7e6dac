import OnsideAPI
import OnsideCommerce
import StripeDouble

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

/// Who may have an offer, and what a free trial needs.
extension SubscriptionOracle {
  /// An introductory offer is the first thing that an account buys in the group.
  func introductions(_ purchases: [Order]) -> [String] {
    purchases.dropFirst().filter { kind(of: $0) == .introductory }
      .map { "\($0.id.lowercase) has the introductory offer \($0.offerID ?? ""), and is no first purchase" }
  }

  /// Promotional and win-back offers are for those who have subscribed before.
  func rewards(_ purchases: [Order]) -> [String] {
    purchases.prefix(1).filter { kind(of: $0) == .promotional || kind(of: $0) == .winBack }
      .map { "\($0.id.lowercase) has the offer \($0.offerID ?? ""), and nothing was bought before" }
  }

  private func kind(of order: Order) -> OfferKind? {
    SimulatedPlans.plan(order.product.message.id)?.offers.first { $0.id == order.offerID }?.kind
  }

  /// Nobody tries for nothing without a card that can be charged later.
  func trials(_ purchases: [Order]) -> [String] {
    let ready = Set(world.stripe.setups.filter { $0.status == "succeeded" }.compactMap { $0.metadata["order"] })
    return purchases.filter { $0.price.isZero && !ready.contains($0.id.lowercase) }
      .map { "\($0.id.lowercase) is a trial without a card" }
  }
}
