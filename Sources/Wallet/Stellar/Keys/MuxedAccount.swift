/// An account, and perhaps a number for one of its users (CAP-27): `G…` or `M…`.
public struct MuxedAccount: Sendable, Hashable, CustomStringConvertible {
  /// The account.
  public let account: AccountAddress
  /// The number, with `M…` alone.
  public let id: UInt64?

  /// An account, with a number or without.
  public init(_ account: AccountAddress, id: UInt64? = nil) {
    self.account = account
    self.id = id
  }

  /// Reads `G…` or `M…`.
  /// - Throws: ``StrKeyError`` for anything else.
  public init(_ text: some StringProtocol) throws(StrKeyError) {
    let key = try StrKey(text)
    switch key.kind {
    case .account: id = nil
    case .muxedAccount: id = key.payload[32...].reduce(0) { $0 << 8 | UInt64($1) }
    default: throw .expected(.account, found: key.kind)
    }
    guard let account = AccountAddress(publicKey: Array(key.payload.prefix(32))) else { throw .payload(key.kind) }
    self.account = account
  }

  /// `G…` without a number, `M…` with one.
  public var text: String {
    guard let id else { return account.text }
    let number = (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * $0)) }
    return StrKey(.muxedAccount, payload: account.publicKey + number).text
  }
  /// `G…` or `M…`.
  public var description: String { text }
}
