/// What the store is told about where its buyers are.
public struct TaxConfiguration: Sendable {
  /// The header field in which the operator's proxy names the country of the caller's network; nil for none.
  public var countryHeader: String?

  /// The default: nobody says it.
  public init() {}
}
