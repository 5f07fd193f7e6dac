import OnsideAPI
import OnsideCommerce
import StripeDouble

@testable import OnsideStore

/// Who may have an offer, and what a free trial needs.
extension SubscriptionOracle {
  /// An introductory offer is the first thing that an account buys in the group.
  func introductions(_ purchases: [Order]) -> [String] {
    purchases.dropFirst().filter { $0.offer?.kind == .introductory }
      .map { "\($0.id.lowercase) has the introductory offer \($0.offerID ?? ""), and is no first purchase" }
  }

  /// Nobody tries for nothing without a card that can be charged later.
  func trials(_ purchases: [Order]) -> [String] {
    let ready = Set(world.stripe.setups.filter { $0.status == "succeeded" }.compactMap { $0.metadata["order"] })
    return purchases.filter { $0.price.isZero && !ready.contains($0.id.lowercase) }
      .map { "\($0.id.lowercase) is a trial without a card" }
  }
}
