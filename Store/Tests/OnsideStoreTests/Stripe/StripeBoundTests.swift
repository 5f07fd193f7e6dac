import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreStripe

@Suite("Stripe: bounds of amounts")
struct StripeBoundTests {
  @Test(
    "The step of a currency is the least amount that Stripe charges, and its multiples are charged",
    arguments: [("EUR", 1), ("JPY", 1), ("KWD", 10), ("MGA", 100), ("CLF", 100), ("ISK", 1)] as [(String, Int64)])
  func step(currency: String, units: Int64) throws {
    let step = BuiltInProviders.step(of: "stripe", in: try #require(Currency(code: currency)))
    let expected = try TestShop.money(units, currency)
    #expect(step == expected)
    for count in 1...20 as ClosedRange<Int64> {
      let amount = try StripeAmount(try TestShop.money(units * count, currency))
      #expect(amount.value > 0)
    }
    if units > 1 {
      let less = try TestShop.money(units - 1, currency)
      #expect(throws: StripeAmount.Unrepresentable(amount: less)) { try StripeAmount(less) }
    }
  }

  @Test(
    "Stripe's least charge and its step bound an amount; 0 is not charged",
    arguments: [
      ("EUR", 50, nil), ("EUR", 49, "expected 0.50 EUR or more"), ("GBP", 30, nil),
      ("HUF", 17_499, "expected 175.00 HUF or more"), ("JPY", 49, "expected 50 JPY or more"),
      ("KRW", 49, "expected 50 KRW or more"), ("IDR", 100_000_000, nil),
      ("KWD", 1501, "expected a multiple of 0.010 KWD"), ("KES", 1, nil), ("EUR", 0, nil),
    ] as [(String, Int64, String?)])
  func chargeable(currency: String, amount: Int64, problem: String?) throws {
    let found = BuiltInProviders.problem(of: try TestShop.money(amount, currency), at: "stripe")
    #expect(found == problem)
    let sandbox = BuiltInProviders.problem(of: try TestShop.money(amount, currency), at: "sandbox")
    #expect(sandbox == nil)
  }
}
