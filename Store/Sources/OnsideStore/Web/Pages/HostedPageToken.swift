import Crypto
import Foundation
import OnsideAPI

/// The secret part of the address of a page that an app opens for its user: the id of what the page is about, when the
/// address ends, and a 128-bit code over both, which only the store can make. It needs no table of its own. One that a
/// visit has renewed also says when the last of its renewals ends.
struct HostedPageToken: Sendable {
  /// What a token says.
  struct Content: Sendable, Hashable {
    let id: UUID
    /// When its time is over.
    let end: Date
    /// When the time of every renewal of it is over.
    let latestEnd: Date
  }

  /// How long an address is good, in seconds.
  static let lifetime: TimeInterval = 15 * 60
  /// How long an address is good at most, in seconds, however often it is renewed.
  static let longestLifetime: TimeInterval = 86_400
  private static let idLength = 16
  private static let dateLength = 8
  private static let codeLength = 16

  private let key: SymmetricKey

  /// - Parameter key: of this kind of page alone, so that the address of one kind is none of another.
  init(key: SymmetricKey) { self.key = key }

  func token(of id: UUID, now: Date) -> String {
    token(withUnsafeBytes(of: id.uuid) { Array($0) } + Self.bytes(now + Self.lifetime))
  }

  /// A token that goes on for longer, until its last end.
  func renewed(_ known: Content, now: Date, lifetime: TimeInterval) -> String {
    let id = withUnsafeBytes(of: known.id.uuid) { Array($0) }
    return token(id + Self.bytes(min(now + lifetime, known.latestEnd)) + Self.bytes(known.latestEnd))
  }

  private func token(_ signed: [UInt8]) -> String { Base64URL.encode(signed + code(signed)) }

  private static func bytes(_ date: Date) -> [UInt8] {
    withUnsafeBytes(of: UInt64(max(0, date.millisecondsSince1970)).bigEndian) { Array($0) }
  }

  private static func date(_ bytes: ArraySlice<UInt8>) -> Date {
    Date(millisecondsSince1970: Int64(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
  }

  /// What a token says; nil when the store has not made it.
  func read(_ token: String) -> Content? {
    guard token.utf8.count <= 64, let bytes = Base64URL.decode(token) else { return nil }
    let signed = Array(bytes.dropLast(Self.codeLength))
    let dates = signed.dropFirst(Self.idLength)
    guard bytes.count == signed.count + Self.codeLength, [1, 2].contains(dates.count / Self.dateLength),
      dates.count % Self.dateLength == 0, ConstantTime.areEqual(bytes.suffix(Self.codeLength), code(signed))
    else { return nil }
    let id = signed.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    let end = Self.date(dates.prefix(Self.dateLength))
    let made = end - Self.lifetime
    let latestEnd =
      dates.count == Self.dateLength ? made + Self.longestLifetime : Self.date(dates.suffix(Self.dateLength))
    return Content(id: id, end: end, latestEnd: latestEnd)
  }

  private func code(_ signed: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: signed, using: key).prefix(Self.codeLength))
  }
}
