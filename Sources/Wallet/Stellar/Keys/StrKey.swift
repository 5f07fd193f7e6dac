import Sodium

/// A public key or identifier in its text form (SEP-23): `G…`, `M…` and the others. The text of a `StrKey` is the only
/// text of its payload: lower case, padding, unused bits and foreign checksums are refused.
///
/// Secret seeds (`S…`) are no `StrKey`: they are read by ``SigningKeyPair`` out of bytes.
public struct StrKey: Sendable, Hashable {
  /// What a key stands for.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    let version: UInt8
    /// What it is, in words.
    public let description: String

    /// `G…`: an account, 32 bytes.
    public static let account = Kind(version: 6 << 3, description: "an account (G…)")
    /// `M…`: an account with a number for one of its users, 40 bytes.
    public static let muxedAccount = Kind(version: 12 << 3, description: "a muxed account (M…)")
    /// `T…`: the hash of a transaction signed in advance, 32 bytes.
    public static let preAuthorizedTransaction = Kind(version: 19 << 3, description: "a transaction's hash (T…)")
    /// `X…`: a SHA-256 hash that signs by its preimage, 32 bytes.
    public static let hash = Kind(version: 23 << 3, description: "a hash (X…)")
    /// `P…`: a key with a payload to sign, 32 bytes, 4 of length, up to 64.
    public static let signedPayload = Kind(version: 15 << 3, description: "a signed payload (P…)")
    /// `C…`: a contract, 32 bytes.
    public static let contract = Kind(version: 2 << 3, description: "a contract (C…)")
    /// `L…`: a liquidity pool, 32 bytes.
    public static let liquidityPool = Kind(version: 11 << 3, description: "a liquidity pool (L…)")
    /// `B…`: a claimable balance, a byte of type 0 and 32 bytes.
    public static let claimableBalance = Kind(version: 1 << 3, description: "a claimable balance (B…)")

    static let seed = Kind(version: 18 << 3, description: "a secret seed (S…)")
    static let all = [
      account, muxedAccount, preAuthorizedTransaction, hash, signedPayload, contract, liquidityPool, claimableBalance,
      seed,
    ]

    func fits(_ payload: some Collection<UInt8>) -> Bool {
      switch self {
      case .muxedAccount: payload.count == 40
      case .claimableBalance: payload.count == 33 && payload.first == 0
      case .signedPayload: Self.isSignedPayload(Array(payload))
      default: payload.count == 32
      }
    }

    /// A key, the length of what follows (1 to 64), and that with zeros up to a multiple of four.
    private static func isSignedPayload(_ payload: [UInt8]) -> Bool {
      guard payload.count > 36 else { return false }
      let length = payload[32..<36].reduce(0) { $0 << 8 | Int($1) }
      guard (1...64).contains(length), payload.count == 36 + (length + 3) / 4 * 4 else { return false }
      return payload[(36 + length)...].allSatisfy { $0 == 0 }
    }
  }

  /// What it stands for.
  public let kind: Kind
  /// Its bytes, without version and checksum.
  public let payload: [UInt8]

  /// Reads a key of any kind but a secret seed.
  /// - Throws: ``StrKeyError`` that says what is wrong with the text; the text itself is not repeated.
  public init(_ text: some StringProtocol) throws(StrKeyError) {
    let text = Array(text.utf8)
    // The longest is a signed payload: 1 + 32 + 4 + 64 + 2 bytes.
    guard text.count <= 165, let count = Base32.decodedCount(text.count), count > 3 else {
      throw .length(text.count)
    }
    var bytes = [UInt8](repeating: 0, count: count)
    let isBase32 = text.withUnsafeBytes { text in bytes.withUnsafeMutableBytes { Base32.decode(text, into: $0) } }
    guard isBase32 else { throw .notBase32 }
    guard let kind = Kind.all.first(where: { $0.version == bytes[0] }) else { throw .unknownKind }
    guard kind != .seed else { throw .secretSeed }
    guard bytes.withUnsafeBytes(Checksum.isRight) else { throw .checksum }
    guard kind.fits(bytes[1..<(count - 2)]) else { throw .payload(kind) }
    self.kind = kind
    payload = Array(bytes[1..<(count - 2)])
  }

  /// Precondition of the callers here: the payload fits the kind.
  init(_ kind: Kind, payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  /// The text form.
  public var text: String {
    var bytes = [kind.version] + payload
    bytes += bytes.withUnsafeBytes(Checksum.of)
    var text = [UInt8](repeating: 0, count: Base32.encodedCount(bytes.count))
    bytes.withUnsafeBytes { bytes in text.withUnsafeMutableBytes { Base32.encode(bytes, into: $0) } }
    return String(decoding: text, as: UTF8.self)
  }
}

/// CRC-16/XMODEM: polynomial 0x1021, start 0; stored with its low byte first.
enum Checksum {
  static func of(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
    return [UInt8(sum & 0xff), UInt8(sum >> 8)]
  }

  /// Whether the last two bytes are the checksum of those before.
  static func isRight(_ bytes: UnsafeRawBufferPointer) -> Bool {
    of(UnsafeRawBufferPointer(rebasing: bytes.dropLast(2))).elementsEqual(bytes.suffix(2))
  }
}
