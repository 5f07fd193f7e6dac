import Foundation
import OnsideCommerce
import StoreBase

/// Writes the entitlements of a customer in events: the fields of the signed list, and `is_active`.
enum EntitlementJSON {
  /// - Parameter now: the time of `is_active`.
  static func write(_ entitlement: Entitlement, at now: Date, to json: inout JSONWriter) {
    json.present("app_account_token", entitlement.appAccountToken)
    json.present("expires_at", entitlement.expiresAt)
    json.present("grace_until", entitlement.graceUntil)
    json.field("is_active", entitlement.isActive(at: now))
    json.field("order_id", entitlement.orderID.lowercase)
    json.field("original_order_id", entitlement.originalOrderID.lowercase)
    json.field("product_id", entitlement.productID)
    json.field("product_type", entitlement.productType.rawValue)
    json.field("purchase_date", entitlement.purchaseDate)
    json.present("revocation_date", entitlement.revocation?.date)
    json.present("revocation_reason", entitlement.revocation?.reason.rawValue)
    json.present("subscription_id", entitlement.subscriptionID)
    if let willRenew = entitlement.willRenew { json.field("will_renew", willRenew) }
  }
}

extension JSONWriter {
  /// A text, unless it is nil.
  fileprivate mutating func present(_ name: StaticString, _ text: String?) {
    if let text { field(name, text) }
  }

  /// A time, unless it is nil.
  fileprivate mutating func present(_ name: StaticString, _ date: Date?) {
    if let date { field(name, date) }
  }
}
