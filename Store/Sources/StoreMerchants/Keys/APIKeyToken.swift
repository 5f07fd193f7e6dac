import OnsideAPI
import StoreBase

/// The token of an API key, `onsk_<id>_<secret>`: the id is 8 bytes in hexadecimal, the secret 32 bytes in base64url.
/// The database has the hash of the secret only. Printing a token shows nothing.
public struct APIKeyToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private static let prefix = "onsk"
  private static let idBytes = 8
  private static let secretBytes = 32

  /// The id of the key.
  public let id: String
  private let secret: String

  /// A new token of a new key, or of the key with an id.
  init(id: String? = nil, random: any RandomSource) {
    self.id = id ?? Hexadecimal.encode(random.bytes(Self.idBytes))
    secret = random.token(bytes: Self.secretBytes)
  }

  /// Parses a token; nil for another form.
  init?(text: String) {
    // The secret may contain underscores.
    let parts = text.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.prefix, Hexadecimal.decode(parts[1])?.count == Self.idBytes,
      Base64URL.decode(parts[2])?.count == Self.secretBytes
    else { return nil }
    (id, secret) = (String(parts[1]), String(parts[2]))
  }

  /// Parses the header `Authorization`; nil for another form, or without the header.
  init?(authorization header: String?) {
    let parts = (header ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    self.init(text: String(parts[1]))
  }

  /// The text of the token, which is shown once.
  public var text: String { "\(Self.prefix)_\(id)_\(secret)" }

  /// The stored form of the secret.
  var hash: String { secret.sha256Base64URL }

  /// Nothing of the secret.
  public var description: String { "redacted" }
  /// Nothing of the secret.
  public var debugDescription: String { description }
  /// Nothing of the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
