/// The region of the signed-in account (contract, section 1.6).
public struct OnsideStorefront: Sendable, Hashable, Codable {
  /// An opaque handle for this launch; never persist it.
  public var id: String
  /// ISO 3166-1 alpha-2, upper case, for example `NL`.
  public var countryCode: String

  /// Makes a storefront.
  public init(id: String, countryCode: String) {
    self.id = id
    self.countryCode = countryCode
  }
}
