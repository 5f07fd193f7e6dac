package import Sodium

/// For wallets that keep the words: nobody can go back from a key to them.
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
