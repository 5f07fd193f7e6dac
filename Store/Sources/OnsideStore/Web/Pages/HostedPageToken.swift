import Crypto
import Foundation
import OnsideAPI

/// The secret part of the address of a page that an app opens for its user: the id of what the page is about, when the
/// address ends, and a 128-bit code over both, which only the store can make. It needs no table of its own.
struct HostedPageToken: Sendable {
  /// How long an address is good, in seconds.
  static let lifetime: TimeInterval = 15 * 60
  private static let idLength = 16
  private static let signedLength = idLength + 8
  private static let codeLength = 16

  private let key: SymmetricKey

  /// - Parameter key: of this kind of page alone, so that the address of one kind is none of another.
  init(key: SymmetricKey) { self.key = key }

  func token(of id: UUID, now: Date, lifetime: TimeInterval = Self.lifetime) -> String {
    let end = UInt64(max(0, (now + lifetime).millisecondsSince1970))
    let signed =
      withUnsafeBytes(of: id.uuid) { Array($0) } + withUnsafeBytes(of: end.bigEndian) { Array($0) }
    return Base64URL.encode(signed + code(signed))
  }

  /// The id of a token; nil when the store has not made it, or its time is over.
  func id(_ token: String, now: Date) -> UUID? {
    read(token).flatMap { now < $0.end ? $0.id : nil }
  }

  /// The id of a token and when its time is over; nil when the store has not made it.
  func read(_ token: String) -> (id: UUID, end: Date)? {
    guard token.utf8.count <= 64, let bytes = Base64URL.decode(token),
      bytes.count == Self.signedLength + Self.codeLength
    else { return nil }
    let signed = Array(bytes.prefix(Self.signedLength))
    guard ConstantTime.areEqual(bytes.dropFirst(Self.signedLength), code(signed)) else { return nil }
    let end = signed.dropFirst(Self.idLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let id = signed.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    return (id, Date(millisecondsSince1970: Int64(clamping: end)))
  }

  private func code(_ signed: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: signed, using: key).prefix(Self.codeLength))
  }
}
