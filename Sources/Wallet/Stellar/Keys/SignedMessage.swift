import Sodium

/// Messages signed by an account (SEP-53): text or bytes that a prefix keeps from ever being a transaction.
extension SigningKeyPair {
  /// The signature of a message, 64 bytes.
  public func signature(ofMessage message: [UInt8]) -> [UInt8] { signature(of: SignedMessage.hash(message)) }

  /// The signature of a text's UTF-8, 64 bytes.
  public func signature(ofMessage message: String) -> [UInt8] { signature(ofMessage: Array(message.utf8)) }
}

extension AccountAddress {
  /// Whether the account has signed this message by SEP-53.
  public func isValid(_ signature: [UInt8], ofMessage message: [UInt8]) -> Bool {
    isValid(signature, of: SignedMessage.hash(message))
  }

  /// Whether the account has signed this text by SEP-53.
  public func isValid(_ signature: [UInt8], ofMessage message: String) -> Bool {
    isValid(signature, ofMessage: Array(message.utf8))
  }
}

private enum SignedMessage {
  static func hash(_ message: [UInt8]) -> [UInt8] { Hash.sha256(Array("Stellar Signed Message:\n".utf8) + message) }
}
