/// The storefront: the country whose prices and products apply to an account (contract, section 1.6).
///
/// The account's is ``OnsidePaymentQueue/storefront``; a transaction has the one in which it runs.
public struct OnsideStorefront: Sendable, Hashable, Codable {
  /// An opaque identifier for this launch; another one at the next launch (STF-5). Never store it: compare
  /// ``countryCode``.
  public var id: String
  /// The country by ISO 3166-1 alpha-2, upper case, for example `NL`.
  public var countryCode: String

  /// Makes a storefront, for an app's own tests.
  public init(id: String, countryCode: String) {
    self.id = id
    self.countryCode = countryCode
  }
}
