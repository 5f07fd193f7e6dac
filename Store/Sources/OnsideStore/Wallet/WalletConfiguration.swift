import Stellar

/// How people log in with a Stellar wallet.
public struct WalletConfiguration: Sendable {
  /// Whether they can.
  public var isOffered = true
  /// `public`, `test`, or the passphrase of another network; nil for the test network in a sandbox and the public one in
  /// production.
  public var network: String?

  /// The default: they can.
  public init() {}

  func network(in environment: StoreEnvironment) -> Network {
    switch network {
    case nil: environment == .production ? .public : .test
    case "public": .public
    case "test": .test
    case let passphrase?: Network(passphrase: passphrase)
    }
  }
}
