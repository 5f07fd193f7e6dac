import Sodium

/// A Stellar network. A signature for one is worth nothing on another.
public struct Network: Sendable, Hashable {
  /// What its hash comes from.
  public let passphrase: String

  /// A network of one's own.
  public init(passphrase: String) { self.passphrase = passphrase }

  /// The public network, where assets have worth.
  public static let `public` = Network(passphrase: "Public Global Stellar Network ; September 2015")
  /// The test network.
  public static let test = Network(passphrase: "Test SDF Network ; September 2015")

  /// SHA-256 of the passphrase, 32 bytes.
  public var id: [UInt8] { Hash.sha256(Array(passphrase.utf8)) }
}
