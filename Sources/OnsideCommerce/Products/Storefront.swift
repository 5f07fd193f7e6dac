/// The region that an account buys in: it decides prices, currency and what is sold.
public struct Storefront: Sendable, Hashable, Codable {
  /// The country of the region.
  public var countryCode: CountryCode

  /// The storefront of a country.
  public init(countryCode: CountryCode) { self.countryCode = countryCode }

  private enum CodingKeys: String, CodingKey {
    case countryCode = "country"
  }
}
