import Foundation
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

@Suite("JSON of the hot path", .timeLimit(.minutes(5)))
struct OrderJSONTests {
  @Test("Orders are written exactly as the wire's own encoder writes them")
  func order() async throws {
    try await TestStore().shop { shopper in
      let open = try await shopper.order("coins", token: "a\"\\\u{1}\u{2028}/é\u{1F600}")
      let cancelled = try await shopper.order("coins", quantity: 3)
      try await shopper.post("/v1/orders/\(cancelled.id)/cancel")
      let subscription = try await shopper.buy("pro")
      let refunded = try await shopper.buy("remove_ads")
      let duplicate = try await shopper.order("remove_ads")
      try await shopper.store.core.orders.refund(refunded.id.uuid, because: .support)
      try await shopper.post("/v1/orders/\(refunded.id)/finish")
      var reader = shopper
      reader.device = UUID()
      let mine = try await reader.buy("coins")
      #expect(mine.delivery?.holder == .here)
      for id in [mine.id, try await shopper.buy("coins").id] {
        let answer = try await reader.get("/v1/orders/\(id)")
        let encoded = try WireCoding.encoder().encode(try answer.message(OrderMessage.self))
        #expect(String(buffer: answer.body) == String(decoding: encoded, as: UTF8.self))
      }
      let payment = try #require(try await shopper.store.payments(of: refunded.id).first)
      _ = try await shopper.store.event(
        "refund_failed", payment: payment, order: refunded.id, with: shopper.client)
      let granted = try #require(try await shopper.grants(of: refunded.id).first)
      for id in [open.id, cancelled.id, subscription.id, refunded.id, duplicate.id, OrderID(granted.id)] {
        let answer = try await shopper.get("/v1/orders/\(id)")
        let encoded = try WireCoding.encoder().encode(try answer.message(OrderMessage.self))
        #expect(String(buffer: answer.body) == String(decoding: encoded, as: UTF8.self))
      }
    }
  }

  @Test("Histories are written exactly as `TransactionHistory.encoder` writes them")
  func history() throws {
    var purchase = InAppPurchase(
      orderID: UUID(), bundleID: "io.example.lumen", productID: "pro", productType: .autoRenewableSubscription,
      quantity: 3, price: try TestShop.money(-5, "KWD"), userCountry: .netherlands,
      purchaseDate: Date(timeIntervalSince1970: 1_780_000_000.9), originalPurchaseDate: Date(timeIntervalSince1970: 0),
      expiresAt: Date(timeIntervalSince1970: 4_102_444_799), subscriptionID: "plans", transactionReason: .renewal,
      revocation: Revocation(date: Date(timeIntervalSince1970: 951_782_400), reason: .chargeback),
      appAccountToken: "\u{8}\u{c}\r", environment: .sandbox, subject: "c3ViamVjdA",
      fetchedAt: Date(timeIntervalSince1970: -1))
    purchase.tax = try TestShop.money(-1, "KWD")
    purchase.offer = PurchaseOffer(id: "pro.\"back\"", kind: .winBack)
    purchase.reinstates = UUID()
    var bare = purchase
    (bare.tax, bare.offer, bare.reinstates) = (nil, nil, nil)
    bare.revocation = nil
    (bare.appAccountToken, bare.subject) = (nil, nil)
    bare.expiresAt = nil
    for transactions in [[], [purchase], [purchase, bare]] {
      let expected = try TransactionHistory.encoder.encode(TransactionHistory(transactions: transactions))
      #expect(
        String(decoding: PurchaseJSON.history(transactions), as: UTF8.self) == String(decoding: expected, as: UTF8.self)
      )
    }
  }

  @Test(
    "Texts are written as JSONEncoder writes them, with nothing to escape and with much",
    arguments: ["", "coins", "Münzen 🪙", #"""#, #"a"b"#, #"\\"#, "a/b", "\u{0}\u{1f} \u{7f}", "line\nline\t", #"ü"ü\"#])
  func texts(text: String) throws {
    var json = JSONWriter()
    json.object { $0.field("t", text) }
    let expected = String(decoding: try WireCoding.encoder().encode(["t": text]), as: UTF8.self)
    #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
  }

  @Test("Dates are right on every seventh day of four centuries")
  func dates() {
    let start = Date(timeIntervalSince1970: -2_208_988_800)
    for day in stride(from: 0, to: 146_097, by: 7) {
      let date = start.addingTimeInterval(Double(day) * 86400 + 12345)
      var json = JSONWriter()
      json.object { $0.field("d", date) }
      #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"d":"\#(RFC3339.text(date))"}"#)
    }
  }
}
