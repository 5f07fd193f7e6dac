package import StoreBase

extension VaultConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<VaultConfiguration>] = [
    ConfigurationKey("vault.guard", path: \.guardPath, kind: .optionalText)
  ]
}
