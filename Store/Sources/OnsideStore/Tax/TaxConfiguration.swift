/// What the store is told about where its buyers are.
public struct TaxConfiguration: Sendable {
  /// The header field in which the operator's proxy names the country of the caller's network; nil for none.
  public var countryHeader: String?

  /// The default: nobody says it.
  public init() {}
}

extension ServeConfiguration {
  /// Refuses a header field that any client could set.
  func checkTax() throws(ConfigurationError) {
    guard store.tax.countryHeader != nil, !store.isBehindProxy else { return }
    throw .needed(
      name: "behind_proxy",
      reason: "tax.country_header is believed, which only a proxy of your own may set; without one any client does")
  }
}
