package import Sodium
public import Stellar

/// What a wallet is made with.
public struct WalletSettings: Sendable {
  /// Which network its key signs for; bound to the item.
  public var network: Network
  /// Whether PINs that are guessed first (``PIN/isCommon``) are refused at sign up and at a change.
  public var refusesCommonPINs: Bool
  /// How a PIN is stretched. Items keep the settings that they were made with; a PIN change takes these.
  package var argon2id: Argon2id

  /// Argon2id with 64 MiB, three passes and one lane: the second choice of RFC 9106, cut to libsodium's one lane.
  public init(network: Network = .public, refusesCommonPINs: Bool = true) {
    self.network = network
    self.refusesCommonPINs = refusesCommonPINs
    argon2id = Argon2id(passes: 3, memory: 64 * 1024)
  }
}
