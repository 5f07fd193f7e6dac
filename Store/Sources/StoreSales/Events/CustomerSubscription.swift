import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// A subscription of a customer in events: the fields of the account's own list without offers, and its orders.
struct CustomerSubscription: Encodable {
  private enum CodingKeys: String, CodingKey {
    case lastOrderID = "last_order_id"
    case originalOrderID = "original_order_id"
  }

  private let message: SubscriptionMessage
  private let originalOrder: UUID
  private let lastOrder: UUID

  /// - Parameters:
  ///   - subscription: a subscription whose machine is up to date.
  ///   - country: the region of the account, for the text of the next price.
  init(_ subscription: StoredSubscription, country: CountryCode) {
    message = SubscriptionMessage(subscription.machine, groupID: subscription.key.group) { price in
      PriceMessage(price, formatted: price.formatted(country: country, language: "en"))
    }
    originalOrder = subscription.firstOrder
    lastOrder = subscription.lastOrder
  }

  func encode(to encoder: any Encoder) throws {
    try message.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(lastOrder.lowercase, forKey: .lastOrderID)
    try fields.encode(originalOrder.lowercase, forKey: .originalOrderID)
  }
}
