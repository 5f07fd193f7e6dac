package import Sodium

/// The contents of the encrypted box: the signing key's seed, and the entropy of the words when it was made from words,
/// since the words cannot be derived from the seed.
package struct Payload: Sendable {
  static let length = 1 + seedLength + entropyLength
  static let seedLength = 32
  static let entropyLength = 32

  package let seed: SecretBytes
  /// 16 to 32 bytes (BIP-39); nil when the key was given without words.
  package let entropy: SecretBytes?

  package init(seed: SecretBytes, entropy: SecretBytes?) {
    precondition(seed.count == Self.seedLength && entropy?.count ?? 0 <= Self.entropyLength)
    self.seed = seed
    self.entropy = entropy
  }

  /// The length of the entropy, the seed, the entropy filled up with zeros.
  var encoded: SecretBytes {
    let length = SecretBytes(copying: [UInt8(entropy?.count ?? 0)])
    return SecretBytes(joining: [length, seed] + (entropy.map { [$0] } ?? []), count: Self.length)
  }

  init?(decoding bytes: SecretBytes) {
    guard bytes.count == Self.length else { return nil }
    let count = bytes.withBytes { Int($0[0]) }
    guard count <= Self.entropyLength else { return nil }
    let end = 1 + Self.seedLength
    self.init(seed: bytes.slice(1..<end), entropy: count > 0 ? bytes.slice(end..<end + count) : nil)
  }
}
