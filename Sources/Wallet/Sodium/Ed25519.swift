import CSodium

/// Ed25519 (RFC 8032): signatures under a key that comes from a seed of 32 bytes.
package enum Ed25519 {
  package static let seedLength = Int(crypto_sign_SEEDBYTES)
  package static let publicKeyLength = Int(crypto_sign_PUBLICKEYBYTES)
  package static let signatureLength = Int(crypto_sign_BYTES)

  /// A signing key, held where secrets are held.
  package struct PrivateKey: Sendable {
    package let publicKey: [UInt8]
    private let key: SecretBytes

    /// Precondition: the seed has 32 bytes.
    package init(seed: SecretBytes) {
      precondition(seed.count == Ed25519.seedLength)
      var publicKey = [UInt8](repeating: 0, count: Ed25519.publicKeyLength)
      key = SecretBytes(
        count: Int(crypto_sign_SECRETKEYBYTES),
        filledBy: { target in _ = seed.withPointer { crypto_sign_seed_keypair(&publicKey, target, $0) } })
      self.publicKey = publicKey
    }

    package var seed: SecretBytes { key.slice(0..<Ed25519.seedLength) }

    package func signature(of message: [UInt8]) -> [UInt8] {
      var signature = [UInt8](repeating: 0, count: Ed25519.signatureLength)
      key.withPointer { _ = crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0) }
      return signature
    }
  }

  /// Whether the signature is the key's own, of this message.
  package static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard signature.count == signatureLength, publicKey.count == publicKeyLength else { return false }
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
  }
}
