import Foundation
import OnsideAPI
import OnsideCommerce

/// Offers that present subscribers buy for the time behind the one that they have paid.
extension PaymentSettlement {
  /// When the time of an order's offer begins, if it follows what its account has paid; nil for every other order.
  func startAhead(of order: Order, at now: Date, in connection: any SQLConnection) throws -> Date? {
    guard !order.isRenewal, let kind = order.namedOffer?.kind, let plan = order.plan, let key = order.subscriptionKey,
      let machine = try SubscriptionRecords.subscription(key, in: connection)?.machine.asOf(now)
    else { return nil }
    // A period that has begun since is not the one that the order's page has spoken of.
    guard machine.start(of: plan, with: kind, at: now) == .ahead, let period = machine.period,
      period.start <= order.createdAt
    else { return nil }
    return period.end
  }
}
