import Crypto
import Foundation
import OnsideAPI

/// The name of the page on which a buyer asks for a refund: the order's id, when the address ends, and a 128-bit code
/// over both, which only the store can make. It needs no table of its own.
struct RefundPageToken: Sendable {
  /// How long an address is good, in seconds.
  static let lifetime: TimeInterval = 15 * 60
  private static let orderLength = 16
  private static let signedLength = orderLength + 8
  private static let codeLength = 16

  private let key: SymmetricKey

  init(key: SymmetricKey) { self.key = key }

  func token(of order: UUID, now: Date) -> String {
    let end = UInt64(max(0, (now + Self.lifetime).millisecondsSince1970))
    let signed =
      withUnsafeBytes(of: order.uuid) { Array($0) } + withUnsafeBytes(of: end.bigEndian) { Array($0) }
    return Base64URL.encode(signed + code(signed))
  }

  /// The order of a token; nil when the store has not made it, or its time is over.
  func order(_ token: String, now: Date) -> UUID? {
    guard token.utf8.count <= 64, let bytes = Base64URL.decode(token),
      bytes.count == Self.signedLength + Self.codeLength
    else { return nil }
    let signed = Array(bytes.prefix(Self.signedLength))
    guard ConstantTime.areEqual(bytes.dropFirst(Self.signedLength), code(signed)) else { return nil }
    let end = signed.dropFirst(Self.orderLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard now.millisecondsSince1970 < Int64(clamping: end) else { return nil }
    return signed.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private func code(_ signed: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: signed, using: key).prefix(Self.codeLength))
  }
}
