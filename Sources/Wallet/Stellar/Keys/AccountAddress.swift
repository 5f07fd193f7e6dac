import Sodium

/// An account: an Ed25519 public key, written as `G…`.
public struct AccountAddress: Sendable, Hashable, CustomStringConvertible {
  /// The public key, 32 bytes.
  public let publicKey: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(publicKey: [UInt8]) {
    guard publicKey.count == Ed25519.publicKeyLength else { return nil }
    self.publicKey = publicKey
  }

  /// Reads `G…`.
  /// - Throws: ``StrKeyError`` for anything else.
  public init(_ text: some StringProtocol) throws(StrKeyError) {
    let key = try StrKey(text)
    guard key.kind == .account else { throw .expected(.account, found: key.kind) }
    publicKey = key.payload
  }

  /// `G…`, 56 characters.
  public var text: String { StrKey(.account, payload: publicKey).text }
  /// `G…`, 56 characters.
  public var description: String { text }

  /// The last four bytes, by which a signature names its key.
  public var hint: [UInt8] { Array(publicKey.suffix(4)) }

  /// Whether the signature (64 bytes) is this account's, of this message.
  public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    Ed25519.isValid(signature, of: message, by: publicKey)
  }
}
