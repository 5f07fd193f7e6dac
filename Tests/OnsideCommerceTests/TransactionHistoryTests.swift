import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransactionHistoryTests {
  private static let order = UUID(uuidString: "0193F0A2-5C7B-7ABC-8DEF-0123456789AB") ?? UUID()
  private static let moment = Date(timeIntervalSince1970: 1_766_743_200)

  private var purchase: InAppPurchase {
    InAppPurchase(
      orderID: Self.order, bundleID: "io.example.lumen", productID: "remove_ads", productType: .nonConsumable,
      price: Money(minorUnits: 499, currency: .eur), userCountry: .netherlands, purchaseDate: Self.moment,
      fetchedAt: Self.moment)
  }

  @Test("HIS-1: a history is the documented payload, field for field")
  func payload() throws {
    let data = try TransactionHistory.encoder.encode(TransactionHistory(transactions: [purchase]))
    let expected = """
      {"transactions":[{"app_account_token":null,"bundle_id":"io.example.lumen","currency":"EUR","environment":null,\
      "expires_at":null,\
      "fetched_at":"2025-12-26T10:00:00Z","order_id":"0193f0a2-5c7b-7abc-8def-0123456789ab",\
      "original_order_id":"0193f0a2-5c7b-7abc-8def-0123456789ab","original_purchase_date":"2025-12-26T10:00:00Z",\
      "price":499,"product_id":"remove_ads","product_slug":null,"product_type":"NON_CONSUMABLE",\
      "purchase_date":"2025-12-26T10:00:00Z","quantity":1,"revocation_date":null,"revocation_reason":null,\
      "subscription_id":null,"transaction_reason":"PURCHASE","user_country":"NL"}]}
      """
    #expect(String(decoding: data, as: UTF8.self) == expected)
  }

  @Test("HIS-1: everything that can be set survives")
  func roundTrip() throws {
    var full = purchase
    full.appAccountToken = "user/42 é\u{2028}\""
    full.originalOrderID = try #require(UUID(uuidString: "00000000-0000-7000-8000-000000000001"))
    full.originalPurchaseDate = Self.moment.addingTimeInterval(-86_400)
    full.expiresAt = Self.moment.addingTimeInterval(86_400)
    full.productSlug = "remove-ads"
    full.environment = .production
    full.quantity = 3
    full.revocation = Revocation(date: Self.moment, reason: .support)
    full.subscriptionID = "21480001"
    full.subject = "c3ViamVjdA"
    full.tax = Money(minorUnits: 87, currency: .eur)
    full.offer = PurchaseOffer(id: "pro.trial", kind: .introductory)
    full.transactionReason = .grant
    full.reinstates = Self.order
    let history = TransactionHistory(transactions: [full, purchase])
    let data = try TransactionHistory.encoder.encode(history)
    let decoded = try TransactionHistory.decoder.decode(TransactionHistory.self, from: data)
    #expect(decoded == history)
  }

  private func edited(_ edit: (inout [String: Any]) -> Void) throws -> Data {
    let data = try TransactionHistory.encoder.encode(purchase)
    var fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    edit(&fields)
    return try JSONSerialization.data(withJSONObject: fields)
  }

  @Test("HIS-1: nullable fields may be missing, unknown ones may be there, unknown names are kept")
  func lenient() throws {
    let data = try edited {
      for key in [
        "app_account_token", "environment", "expires_at", "product_slug", "revocation_date", "subscription_id",
      ] {
        $0[key] = nil
      }
      $0["product_type"] = "BUNDLE"
      $0["new_field"] = ["a": 1]
      $0["purchase_date"] = "2025-12-26T11:00:00.250+01:00"
    }
    let read = try TransactionHistory.decoder.decode(InAppPurchase.self, from: data)
    #expect(read.productType == ProductKind(rawValue: "BUNDLE"))
    #expect(read.purchaseDate == Self.moment.addingTimeInterval(0.25))
    #expect(read.expiresAt == nil)
  }

  @Test(
    "HIS-1: what cannot be is refused",
    arguments: [
      ("quantity", "0"), ("currency", "\"EURO\""), ("user_country", "\"NLD\""), ("purchase_date", "\"yesterday\""),
      ("order_id", "\"42\""), ("price", "4.99"), ("fetched_at", "1766743200"), ("bundle_id", "null"),
    ])
  func refused(key: String, value: String) throws {
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data("[\(value)]".utf8), options: .fragmentsAllowed) as? [Any])
    let data = try edited { $0[key] = json[0] }
    #expect(throws: DecodingError.self) { try TransactionHistory.decoder.decode(InAppPurchase.self, from: data) }
  }

  @Test("moments are whole seconds of UTC on the wire, cut and never rounded up")
  func moments() {
    #expect(RFC3339.text(Self.moment.addingTimeInterval(0.999)) == "2025-12-26T10:00:00Z")
    #expect(RFC3339.text(Date(timeIntervalSince1970: -0.5)) == "1969-12-31T23:59:59Z")
    #expect(RFC3339.date("2025-12-26T10:00:00Z") == Self.moment)
    #expect(RFC3339.date("2025-12-26T15:30:00+05:30") == Self.moment)
    #expect(RFC3339.date("2025-12-26") == nil)
    #expect(RFC3339.date("2025-12-26T10:00:00") == nil)
  }
}
