/// A currency of ISO 4217, with the number of decimal places that its amounts have.
public struct Currency: Sendable, Hashable {
  /// The three-letter code, upper case: `EUR`.
  public let code: String
  /// How many decimal places an amount has: 2 for EUR, 0 for JPY, 3 for KWD, 4 for CLF.
  public let exponent: Int

  /// The currency of an active ISO 4217 code, upper case; nil for any other text.
  ///
  /// Precious metals, test codes and accounting units such as `XAU` and `XDR` have no decimal places in ISO 4217
  /// and cannot be a price: they are not known here.
  public init?(code: String) {
    guard let currency = CurrencyTable.byCode[code] else { return nil }
    self = currency
  }

  init(tableCode code: String, exponent: Int) {
    self.code = code
    self.exponent = exponent
  }

  /// Every active currency that a price can have, by code.
  public static let all: [Currency] = CurrencyTable.byCode.values.sorted { $0.code < $1.code }

  /// The euro.
  public static let eur = Currency(tableCode: "EUR", exponent: 2)
  /// The United States dollar.
  public static let usd = Currency(tableCode: "USD", exponent: 2)
}

extension Currency: CustomStringConvertible {
  /// The code.
  public var description: String { code }
}

extension Currency: Codable {
  /// Reads the code string; any other text is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let code = try container.decode(String.self)
    guard let currency = Currency(code: code) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected an active ISO 4217 currency code such as EUR, got \"\(code)\"")
    }
    self = currency
  }

  /// Writes the code string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(code)
  }
}
