package import Sodium

/// The entropy, for wallets that store the words: they cannot be derived from a key.
extension Mnemonic {
  /// What the words stand for, 16 to 32 bytes.
  package var storedEntropy: SecretBytes { entropy }

  /// The words of an entropy; nil for a length that no words have.
  package init?(entropy: SecretBytes) {
    guard [16, 20, 24, 28, 32].contains(entropy.count) else { return nil }
    self.entropy = entropy
    count = entropy.count * 3 / 4
  }
}
