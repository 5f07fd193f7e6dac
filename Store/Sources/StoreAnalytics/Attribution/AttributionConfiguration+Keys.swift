package import StoreBase

extension AttributionConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<AttributionConfiguration>] = [
    ConfigurationKey("attribution.claim_lifetime", path: \.claimLifetime, kind: .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey("attribution.matching", path: \.isMatching, kind: .flag),
    ConfigurationKey(
      "attribution.matching_window", path: \.matchingWindow, kind: .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey(
      "attribution.event_retention", path: \.eventRetention, kind: .seconds(86_400...315_360_000), unit: "seconds"),
    ConfigurationKey("attribution.store_app", path: \.storeApp, kind: .appIdentifier),
  ]
}

extension ConfigurationKind<String?> {
  fileprivate static let appIdentifier = ConfigurationKind(
    expected: "an app identifier such as \"io.example.store\"",
    parse: { value in value.text.flatMap { $0.isEmpty ? nil : $0 } }, literal: { $0?.tomlLiteral })
}
