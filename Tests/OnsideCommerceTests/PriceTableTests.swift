import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct PriceTableTests {
  private func decode(_ json: String) throws -> PriceTable {
    try PriceTable.decode(Data(json.utf8), path: "Shop.prices.json")
  }

  private let configuration = """
    {"products": [{"productID": "a", "type": "Consumable", "displayPrice": "4.99"},
      {"productID": "b", "type": "Consumable", "displayPrice": "1.99"}],
     "settings": {"_storefront": "NLD"}, "version": {"major": 4, "minor": 0}}
    """

  @Test("PRD-7: the table's countries replace the file's price; without a price there is no sale")
  func override() throws {
    let file = try StoreKitConfiguration.decode(Data(configuration.utf8), path: "Shop.storekit")
    let table = try decode(#"{"products": {"a": {"US": {"amount": 599, "currency": "USD"}}}}"#)
    let catalogue = file.catalogue(prices: table)
    #expect(catalogue["a"]?.prices == [.unitedStates: Money(minorUnits: 599, currency: .usd)])
    #expect(catalogue["b"]?.prices == [.netherlands: Money(minorUnits: 199, currency: .eur)])
    #expect(catalogue.select(["a", "b"], in: .netherlands).invalidIdentifiers == ["a"])
    #expect(file.catalogue()["a"]?.price(in: .netherlands)?.minorUnits == 499)
  }

  @Test(
    "a price table with a mistake is refused, with its place",
    arguments: [
      ("{", "1:2: expected a key in double quotes, got the end of the file"),
      (#"{"prices": {}}"#, #"1:12: expected prices: only the keys "products" or "offers", got "prices""#),
      (
        #"{"products": {"a": {"Nl": {}}}}"#,
        #"1:27: expected products.a: an ISO 3166-1 alpha-2 country code such as NL, got "Nl""#
      ),
      (
        #"{"products": {"a": {"NL": {"amount": 4.99, "currency": "EUR"}}}}"#,
        "1:38: expected products.a.NL.amount: a whole number of the currency's smallest unit, 0 or more, "
          + "got the number 4.99"
      ),
      (
        #"{"products": {"a": {"NL": {"amount": -1, "currency": "EUR"}}}}"#,
        "1:38: expected products.a.NL.amount: a whole number of the currency's smallest unit, 0 or more, "
          + "got the number -1"
      ),
      (
        #"{"products": {"a": {"NL": {"amount": 1, "currency": "EURO"}}}}"#,
        #"1:53: expected products.a.NL.currency: an ISO 4217 code such as "EUR", got "EURO""#
      ),
      (
        #"{"products": {"a": {"NL": {"currency": "EUR"}}}}"#,
        "1:27: expected products.a.NL: \"amount\" with a whole number of the currency's smallest unit, 0 or more, "
          + "got nothing"
      ),
    ])
  func mistakes(json: String, expected: String) {
    let error = #expect(throws: StoreKitFileError.self) { try decode(json) }
    #expect(error?.description == "Shop.prices.json:" + expected)
  }

  @Test("a price table is read again as it was written")
  func roundTrip() throws {
    let table = PriceTable(
      products: ["a": [.netherlands: Money(minorUnits: 499, currency: .eur)]],
      offers: ["a": ["intro": [.unitedStates: Money(minorUnits: 99, currency: .usd)]]])
    let data = try JSONEncoder().encode(table)
    let decoded = try PriceTable.decode(data, path: "again")
    #expect(decoded == table)
  }
}
