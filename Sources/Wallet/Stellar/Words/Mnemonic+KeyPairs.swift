package import Sodium

extension Mnemonic {
  /// The key pair of an account of these words (SEP-5): m/44'/148'/index'. The index is below 2^31.
  /// - Parameter passphrase: an additional word that gives other keys; without it those keys are lost. None by default.
  /// - Throws: ``MnemonicError`` for an index that is too large.
  public func keyPair(_ index: UInt32 = 0, passphrase: String = "") throws(MnemonicError) -> SigningKeyPair {
    try keyPair(index, passphrase: SecretBytes(copying: passphrase.utf8))
  }

  package func keyPair(_ index: UInt32, passphrase: SecretBytes) throws(MnemonicError) -> SigningKeyPair {
    guard index < ExtendedKey.hardened else {
      throw MnemonicError(description: "Expected an account's index below 2147483648, got \(index).")
    }
    guard let passphrase = passphrase.normalizedNFKD else {
      throw MnemonicError(description: "The passphrase is no UTF-8.")
    }
    let key = [44, 148, index].reduce(ExtendedKey(master: seed(passphrase))) { $0.child($1) }
    guard let pair = SigningKeyPair(seed: key.key) else { preconditionFailure("derived keys have 32 bytes") }
    return pair
  }

  /// BIP-39's seed, 64 bytes. Precondition: the passphrase is in NFKD.
  func seed(_ passphrase: SecretBytes) -> SecretBytes {
    let salt = SecretBytes(joining: [SecretBytes(copying: "mnemonic".utf8), passphrase])
    return Hash.pbkdf2SHA512(password: text, salt: salt, rounds: 2048)
  }
}

/// A key of SLIP-0010 for Ed25519, where each child is hardened.
struct ExtendedKey {
  static let hardened: UInt32 = 1 << 31
  let key: SecretBytes
  private let chainCode: SecretBytes

  init(master seed: SecretBytes) {
    self.init(Hash.hmacSHA512(key: SecretBytes(copying: "ed25519 seed".utf8), [seed]))
  }

  private init(_ mac: SecretBytes) {
    key = mac.slice(0..<32)
    chainCode = mac.slice(32..<64)
  }

  func child(_ index: UInt32) -> ExtendedKey {
    let number = (index | Self.hardened).bigEndian
    let suffix = withUnsafeBytes(of: number) { SecretBytes(copying: $0) }
    return ExtendedKey(Hash.hmacSHA512(key: chainCode, [SecretBytes(copying: [0]), key, suffix]))
  }
}
