import HTTPTypes
package import StoreBase

extension TaxConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<TaxConfiguration>] = [
    ConfigurationKey("tax.country_header", path: \.countryHeader, kind: .headerName)
  ]
}

extension ConfigurationKind<String?> {
  fileprivate static let headerName = ConfigurationKind(
    expected: "the name of a header field such as \"X-Country\"",
    parse: { value in
      guard let text = value.text, HTTPField.Name(text) != nil else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })
}
