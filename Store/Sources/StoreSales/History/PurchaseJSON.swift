import Foundation
import OnsideCommerce
import StoreBase

/// Writes the payload of receipts and histories: the same fields in the same order as `TransactionHistory.encoder`.
enum PurchaseJSON {
  static func history(_ purchases: [InAppPurchase]) -> [UInt8] {
    var json = JSONWriter(capacity: 64 + purchases.count * 640)
    json.object { json in
      json.name("transactions")
      json.array(purchases) { json, purchase in json.object { write(purchase, to: &$0) } }
    }
    return json.bytes
  }

  /// Writes the fields of a purchase.
  ///
  /// - Parameter isDated: whether the time of the reading is a field.
  static func write(_ purchase: InAppPurchase, isDated: Bool = true, to json: inout JSONWriter) {
    json.optional("app_account_token", purchase.appAccountToken)
    json.field("bundle_id", purchase.bundleID)
    json.field("currency", purchase.price.currency.code)
    json.optional("environment", purchase.environment?.rawValue)
    json.optional("expires_at", purchase.expiresAt)
    if isDated { json.field("fetched_at", purchase.fetchedAt) }
    if let offer = purchase.offer {
      json.field("offer_id", offer.id)
      json.field("offer_kind", offer.kind.rawValue)
    }
    json.field("order_id", purchase.orderID.lowercase)
    json.field("original_order_id", purchase.originalOrderID.lowercase)
    json.field("original_purchase_date", purchase.originalPurchaseDate)
    json.field("price", purchase.price.minorUnits)
    json.field("product_id", purchase.productID)
    json.optional("product_slug", purchase.productSlug)
    json.field("product_type", purchase.productType.rawValue)
    json.field("purchase_date", purchase.purchaseDate)
    json.field("quantity", Int64(purchase.quantity))
    if let original = purchase.reinstates { json.field("reinstates", original.lowercase) }
    json.optional("revocation_date", purchase.revocation?.date)
    json.optional("revocation_reason", purchase.revocation?.reason.rawValue)
    if let subject = purchase.subject { json.field("subject", subject) }
    json.optional("subscription_id", purchase.subscriptionID)
    if let tax = purchase.tax { json.field("tax_amount", tax.minorUnits) }
    json.field("transaction_reason", purchase.transactionReason.rawValue)
    json.field("user_country", purchase.userCountry.alpha2)
  }
}

extension JSONWriter {
  mutating func optional(_ name: StaticString, _ text: String?) {
    if let text { field(name, text) } else { null(name) }
  }

  mutating func optional(_ name: StaticString, _ date: Date?) {
    if let date { field(name, date) } else { null(name) }
  }
}
