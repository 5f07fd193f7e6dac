package import Sodium

/// An account's address and the key that signs for it. The key is in locked memory, is overwritten when the last copy
/// is released, and prints as redacted.
public struct SigningKeyPair: Sendable {
  /// The account that the key signs for.
  public let account: AccountAddress
  /// The account's address `G…`, 56 characters.
  public var address: String { account.text }
  private let key: Ed25519.PrivateKey

  /// A random one.
  public static func random() -> SigningKeyPair { SigningKeyPair(random: .system) }

  package init(random source: RandomBytes) {
    self.init(trusted: SecretBytes(random: Ed25519.seedLength, from: source))
  }

  /// From a seed of 32 bytes; nil for another number of bytes.
  package init?(seed: SecretBytes) {
    guard seed.count == Ed25519.seedLength else { return nil }
    self.init(trusted: seed)
  }

  /// From a seed of 32 bytes, which stay the caller's to overwrite; nil for another number of bytes.
  public init?(seed: UnsafeRawBufferPointer) { self.init(seed: SecretBytes(copying: seed)) }

  private init(trusted seed: SecretBytes) {
    let key = Ed25519.PrivateKey(seed: seed)
    guard let account = AccountAddress(publicKey: key.publicKey) else {
      preconditionFailure("Ed25519 keys have 32 bytes")
    }
    self.key = key
    self.account = account
  }

  /// The 32 bytes that the key comes from.
  package var seed: SecretBytes { key.seed }

  /// Reads a secret seed `S…` out of its 56 bytes of text. The bytes stay the caller's to overwrite.
  /// - Throws: ``StrKeyError``.
  public init(secret text: UnsafeRawBufferPointer) throws(StrKeyError) {
    guard text.count == 56 else { throw .noSecretSeed }
    var isBase32 = false
    let bytes = SecretBytes(count: 35) { isBase32 = Base32.decode(text, into: $0) }
    guard isBase32 else { throw .notBase32 }
    let (isSeed, isRight) = bytes.withBytes { ($0[0] == StrKey.Kind.seed.version, Checksum.isRight($0)) }
    guard isSeed else { throw .noSecretSeed }
    guard isRight else { throw .checksum }
    self.init(trusted: bytes.slice(1..<33))
  }

  /// Reads a secret seed `S…` out of locked memory.
  package init(secret text: SecretBytes) throws(StrKeyError) {
    self = try text.withBytes { (bytes) throws(StrKeyError) in try SigningKeyPair(secret: bytes) }
  }

  /// Reads a secret seed `S…` of a text that is in memory anyway: a Swift string cannot be overwritten.
  public init(secretText text: String) throws(StrKeyError) {
    try self.init(secret: SecretBytes(copying: text.utf8))
  }

  /// Lends the secret seed's text `S…`, 56 bytes, which are overwritten when `body` is done.
  public func withSecret<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try secretText.withBytes(body)
  }

  /// The secret seed's text `S…` in locked memory.
  package var secretText: SecretBytes {
    let version = SecretBytes(copying: [StrKey.Kind.seed.version])
    let body = SecretBytes(joining: [version, seed])
    let bytes = SecretBytes(joining: [body, SecretBytes(copying: body.withBytes(Checksum.of))])
    return SecretBytes(count: 56) { text in bytes.withBytes { Base32.encode($0, into: text) } }
  }

  /// The signature of a message, 64 bytes (Ed25519, RFC 8032). Transactions and messages have forms of their own to
  /// sign: ``TransactionEnvelope/sign(with:on:)`` and ``signature(ofMessage:)``.
  public func signature(of bytes: [UInt8]) -> [UInt8] { key.signature(of: bytes) }
}

extension SigningKeyPair: CustomStringConvertible, CustomReflectable {
  /// The address; never the key.
  public var description: String { "\(address) (key redacted)" }
  /// The address; never the key.
  public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
