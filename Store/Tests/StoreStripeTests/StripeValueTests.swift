import Foundation
import OnsideCommerce
import Testing

@testable import StoreStripe

@Suite("Stripe: keys, forms, amounts")
struct StripeValueTests {
  private static func money(_ minorUnits: Int64, _ currency: String) throws -> Money {
    Money(minorUnits: minorUnits, currency: try #require(Currency(code: currency)))
  }

  @Test("A key tells its kind and mode, and prints redacted")
  func key() throws {
    let key = try #require(StripeKey("sk_test_51Abc"))
    #expect(key.kind == .secret && !key.isLive)
    let live = try #require(StripeKey("rk_live_51Abc"))
    #expect(live.kind == .restricted && live.isLive)
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\(StripeClient(key: key))", "\([key])"] {
      #expect(!text.contains("51Abc"), "\(text)")
    }
  }

  @Test(
    "What is no key is not taken for one",
    arguments: ["", "sk_test_", "sk_prod_1", "xx_test_1", "sk_test", "sk_test_a b", "sk_test_a\r\nX: y", "whsec_abc"])
  func noKey(text: String) { #expect(StripeKey(text) == nil) }

  @Test("A webhook secret prints redacted")
  func webhookSecret() throws {
    let secret = try #require(StripeWebhookSecret("whsec_abcdef"))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(![dumped, "\(secret)", String(reflecting: secret)].joined().contains("abcdef"))
    #expect(StripeWebhookSecret("abcdef") == nil && StripeWebhookSecret("whsec_") == nil)
  }

  @Test("Nested parameters are written with brackets, sorted and percent-encoded")
  func form() {
    var form = StripeForm()
    form.set("amount", to: 499)
    form.set("off_session", to: true)
    form.set("customer", to: nil as String?)
    form.set("metadata", to: ["order": "ä&=", "charge": "1"])
    form.set("allowed_payment_method_types", to: ["card", "sepa_debit"])
    #expect(
      form.encoded == "amount=499&off_session=true&metadata%5Bcharge%5D=1&metadata%5Border%5D=%C3%A4%26%3D"
        + "&allowed_payment_method_types%5B0%5D=card&allowed_payment_method_types%5B1%5D=sepa_debit")
  }

  @Test("An idempotency key names operation, subject, attempt and method, in at most 255 bytes")
  func idempotencyKey() {
    let key = StripeIdempotencyKey("charge", subject: "p1", attempt: 2, method: "pm_1").description
    #expect(key == "onside:charge:p1:2:pm_1")
    let others = [
      StripeIdempotencyKey("refund", subject: "p1", attempt: 2, method: "pm_1"),
      StripeIdempotencyKey("charge", subject: "p2", attempt: 2, method: "pm_1"),
      StripeIdempotencyKey("charge", subject: "p1", attempt: 3, method: "pm_1"),
      StripeIdempotencyKey("charge", subject: "p1", attempt: 2, method: "pm_2"),
    ]
    #expect(!others.map(\.description).contains(key) && Set(others).count == 4)
    let long = StripeIdempotencyKey("charge", subject: String(repeating: "ä", count: 300)).description
    #expect(long.utf8.count <= 255)
    #expect(long != StripeIdempotencyKey("charge", subject: String(repeating: "ö", count: 300)).description)
  }

  @Test(
    "Amounts are written as Stripe counts, and read back the same",
    arguments: [
      ("EUR", 499, 499), ("JPY", 120, 120), ("KWD", 1500, 1500), ("ISK", 500, 50000), ("UGX", 7, 700),
      ("MGA", 1200, 12), ("HUF", 100, 100),
    ] as [(String, Int64, Int64)])
  func amount(currency: String, ours: Int64, theirs: Int64) throws {
    let money = try Self.money(ours, currency)
    let amount = try StripeAmount(money)
    #expect(amount.value == theirs && amount.currency == currency.lowercased())
    #expect(StripeAmount.money(theirs, currency: amount.currency) == money)
  }

  @Test(
    "An amount that Stripe cannot charge is refused and not rounded",
    arguments: [("KWD", 1501), ("MGA", 1201), ("CLF", 12345), ("ISK", Int64.max)] as [(String, Int64)])
  func unrepresentable(currency: String, amount: Int64) throws {
    let money = try Self.money(amount, currency)
    #expect(throws: StripeAmount.Unrepresentable(amount: money)) { try StripeAmount(money) }
  }

  @Test("An amount of a currency that is not known, or of half a unit, is no money")
  func foreignAmount() {
    #expect(StripeAmount.money(5, currency: "xxx") == nil)
    #expect(StripeAmount.money(150, currency: "isk") == nil)
  }
}
