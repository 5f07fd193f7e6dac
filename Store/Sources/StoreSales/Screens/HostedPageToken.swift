package import Crypto
import Foundation
import OnsideAPI
import StoreBase

/// The secret part of the address of a page that an app opens for its user: the id of what the page is about and when
/// the address ends, encrypted, so that the app does not learn the account's id from it. It needs no table of its own.
/// A token that a visit has renewed also says when the last of its renewals ends.
package struct HostedPageToken: Sendable {
  /// The content of a token.
  struct Content: Sendable, Hashable {
    let id: UUID
    /// The end of its lifetime.
    let end: Date
    /// The end of the lifetime of its last renewal.
    let latestEnd: Date
  }

  /// The lifetime of an address without renewals, in seconds.
  static let lifetime: TimeInterval = 15 * 60
  /// The longest lifetime of an address in seconds, including renewals: the secret that sealed it verifies no longer.
  static let longestLifetime = StoreSecrets.overlap
  private static let idLength = 16
  private static let dateLength = 8
  private static let nonceLength = 12

  private let key: SymmetricKey
  private let sealKey: SymmetricKey

  /// - Parameter key: of this kind of page alone, so that the address of one kind is none of another.
  package init(key: SymmetricKey) {
    self.key = key
    sealKey = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("seal".utf8), outputByteCount: 32)
  }

  func token(of id: UUID, now: Date) -> String {
    token(withUnsafeBytes(of: id.uuid) { Array($0) } + Self.bytes(now + Self.lifetime))
  }

  /// A token that goes on for longer, until its last end.
  func renewed(_ known: Content, now: Date, lifetime: TimeInterval) -> String {
    let id = withUnsafeBytes(of: known.id.uuid) { Array($0) }
    return token(id + Self.bytes(min(now + lifetime, known.latestEnd)) + Self.bytes(known.latestEnd))
  }

  /// The nonce is made of the content, so that it repeats with the same content only.
  private func token(_ content: [UInt8]) -> String {
    let nonce = Array(HMAC<SHA256>.authenticationCode(for: content, using: key)).prefix(Self.nonceLength)
    guard let box = try? AES.GCM.seal(content, using: sealKey, nonce: AES.GCM.Nonce(data: nonce)).combined else {
      preconditionFailure("expected AES-GCM to take a key of 32 and a nonce of 12 bytes")
    }
    return Base64URL.encode(Array(box))
  }

  private static func bytes(_ date: Date) -> [UInt8] {
    withUnsafeBytes(of: UInt64(max(0, date.millisecondsSince1970)).bigEndian) { Array($0) }
  }

  private static func date(_ bytes: ArraySlice<UInt8>) -> Date {
    Date(millisecondsSince1970: Int64(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
  }

  /// What a token says; nil when the store has not made it.
  func read(_ token: String) -> Content? {
    guard token.utf8.count <= 96, let bytes = Base64URL.decode(token),
      let box = try? AES.GCM.SealedBox(combined: bytes), let opened = try? AES.GCM.open(box, using: sealKey)
    else { return nil }
    let content = Array(opened)
    let dates = content.dropFirst(Self.idLength)
    guard [1, 2].contains(dates.count / Self.dateLength), dates.count % Self.dateLength == 0 else { return nil }
    let id = content.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    let end = Self.date(dates.prefix(Self.dateLength))
    let made = end - Self.lifetime
    let latestEnd =
      dates.count == Self.dateLength ? made + Self.longestLifetime : Self.date(dates.suffix(Self.dateLength))
    return Content(id: id, end: end, latestEnd: latestEnd)
  }
}

extension VersionedKey<HostedPageToken> {
  func token(of id: UUID, now: Date) -> String { current.token(of: id, now: now) }

  /// A token with a later end.
  func renewed(_ known: HostedPageToken.Content, now: Date, lifetime: TimeInterval) -> String {
    current.renewed(known, now: now, lifetime: lifetime)
  }

  /// The content of a token; nil if the store has not made it.
  func read(_ token: String) -> HostedPageToken.Content? { first { $0.read(token) } }
}
