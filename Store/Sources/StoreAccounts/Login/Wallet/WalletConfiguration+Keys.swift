package import StoreBase

extension WalletConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<WalletConfiguration>] = [
    ConfigurationKey("wallet.login", path: \.isOffered, kind: .flag),
    ConfigurationKey("wallet.network", path: \.network, kind: .optionalText),
  ]
}
