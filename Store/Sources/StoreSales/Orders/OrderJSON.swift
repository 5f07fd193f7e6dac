import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StoreWeb

/// Writes orders as the wire has them: the same bytes as `WireCoding` makes of an `OrderMessage`.
package struct OrderJSON: Sendable {
  let tokens: VersionedKey<PaymentToken>
  let keys: SigningKeys
  let address: PublicAddress

  /// How long a device may be silent and still deliver what it has ordered, in seconds.
  var deliveryLease: TimeInterval = 300

  /// Who reads an order, and when: whether it may be delivered there depends on that.
  struct Reader: Sendable {
    let device: DeliveryDevice
    let now: Date
    /// The revoked orders that the device has finished.
    var finishedHere: Set<UUID> = []
  }

  /// The receipt of an order, signed by a published key.
  func receipt(of order: Order) -> String? { order.receipt.map(keys.verifiable) }

  func bytes(_ order: Order, for reader: Reader? = nil) -> [UInt8] {
    var json = JSONWriter(capacity: 2048)
    write(order, for: reader, to: &json)
    return json.bytes
  }

  func write(_ order: Order, for reader: Reader? = nil, to json: inout JSONWriter) {
    let delivery = reader.flatMap { order.delivery(for: $0.device, at: $0.now, lifetime: deliveryLease) }
    json.object { json in
      if let token = order.appAccountToken { json.field("app_account_token", token) }
      if let reason = order.cancelReason { json.field("cancel_reason", reason.rawValue) }
      json.field("country", order.country.alpha2)
      json.field("created_at", order.createdAt)
      if let delivery {
        json.name("delivery")
        json.object { json in
          json.field("holder", delivery.holder.rawValue)
          if let seconds = delivery.seconds { json.field("seconds", Int64(seconds)) }
        }
      }
      if let original = order.duplicateOf { json.field("duplicate_of", original.lowercase) }
      if let end = order.expiresAt { json.field("expires_at", end) }
      json.field("finished", order.state.finished)
      if reader?.finishedHere.contains(order.id) == true { json.field("finished_here", true) }
      json.field("id", order.id.lowercase)
      json.field("original_order_id", (order.originalOrderID ?? order.id).lowercase)
      if let paidAt = order.paidAt { json.field("paid_at", paidAt) }
      if order.state.stage == .open {
        json.field("payment_url", "\(address.url.absoluteString)/pay/\(tokens.token(orderID: order.id))")
      }
      json.name("price")
      json.object { json in
        json.field("amount", order.price.minorUnits)
        json.field("currency", order.price.currency.code)
        json.field("formatted", order.priceText)
      }
      json.field("product", json: order.product.json)
      json.field("quantity", Int64(order.quantity))
      json.field("reason", order.reason.rawValue)
      if let receipt = receipt(of: order) { json.field("receipt", receipt) }
      if let original = order.reinstates { json.field("reinstates", original.lowercase) }
      if let revocation = order.state.revocation {
        json.field("revocation_reason", revocation.reason.rawValue)
        json.field("revoked_at", revocation.date)
      }
      json.field("state", order.state.stage.rawValue)
    }
  }
}
