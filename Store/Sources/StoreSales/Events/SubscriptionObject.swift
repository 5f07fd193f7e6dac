import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The object of a subscription's events: the message of ``Route/subscriptions`` without offers, and the first and last
/// order of its present series.
struct SubscriptionObject: Encodable {
  private enum CodingKeys: String, CodingKey {
    case originalOrderID = "original_order_id"
    case lastOrderID = "last_order_id"
  }

  let message: SubscriptionMessage
  let originalOrderID: UUID
  let lastOrderID: UUID

  /// - Parameter order: an order in whose language and region the text of the price is.
  init(_ subscription: StoredSubscription, pricedLike order: SubscriptionEventRecords.PeriodOrder, at now: Date) {
    message = SubscriptionMessage(subscription.machine.asOf(now), groupID: subscription.key.group) { price in
      PriceMessage(price, formatted: price.formatted(country: order.country, language: order.language ?? "en"))
    }
    (originalOrderID, lastOrderID) = (subscription.firstOrder, subscription.lastOrder)
  }

  func encode(to encoder: any Encoder) throws {
    try message.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(originalOrderID.lowercase, forKey: .originalOrderID)
    try fields.encode(lastOrderID.lowercase, forKey: .lastOrderID)
  }

  func json() throws -> String { String(decoding: try WireCoding.encoder().encode(self), as: UTF8.self) }
}
