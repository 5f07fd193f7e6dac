import OnsideCommerce
import Testing

@Test("a currency is known by its code")
func currencyByCode() {
  #expect(Currency(code: "JPY")?.exponent == 0)
}
