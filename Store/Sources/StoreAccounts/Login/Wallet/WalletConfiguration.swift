import Stellar
import StoreBase

/// The configuration of logins with a Stellar wallet.
public struct WalletConfiguration: Sendable {
  /// Whether the login is offered.
  public var isOffered = true
  /// The Stellar network: `public`, `test`, or the passphrase of another one; nil for the test network in a sandbox and
  /// the public one in production.
  public var network: String?

  /// The default: the login is offered.
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
