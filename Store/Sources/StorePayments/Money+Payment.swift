import OnsideCommerce

extension Money {
  /// An amount as providers write it; nil when there is no such currency.
  init?(minorUnits: Int64, currencyCode: String) {
    guard let currency = Currency(code: currencyCode) else { return nil }
    self.init(minorUnits: minorUnits, currency: currency)
  }

  /// Reads ``plainText``.
  package init?(plainText text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let amount = Int64(parts[0]) else { return nil }
    self.init(minorUnits: amount, currencyCode: String(parts[1]))
  }

  /// Amount in the smallest unit and currency, for forms and for people who run stores: `999 EUR`.
  package var plainText: String { "\(minorUnits) \(currency.code)" }
}
