package import StoreBase

extension SellerConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<SellerConfiguration>] = [
    ConfigurationKey("seller.id", path: \.id, kind: .shortName),
    ConfigurationKey("seller.name", path: \.name, kind: .optionalText),
    ConfigurationKey("seller.address", path: \.address, kind: .optionalText),
    ConfigurationKey("seller.tax_number", path: \.taxNumber, kind: .optionalText),
  ]
}

extension ConfigurationKind<String> {
  /// The beginning of receipt numbers.
  fileprivate static let shortName = ConfigurationKind(
    expected: "1 to 12 letters and digits, such as \"NL1\"",
    parse: { value in
      value.text.flatMap { $0.wholeMatch(of: #/[A-Za-z0-9]{1,12}/#) == nil ? nil : $0 }
    }, literal: { $0.tomlLiteral })
}
