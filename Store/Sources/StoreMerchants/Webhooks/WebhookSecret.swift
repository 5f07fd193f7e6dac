import Foundation
package import StoreBase

/// The secret of an endpoint, with which its requests are signed. Its text is `whsec_` and the bytes in base64, as in
/// Standard Webhooks 1.0.0. Printing it shows nothing.
package struct WebhookSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The purpose of the seal in the database.
  static let sealPurpose = "webhook-secrets"
  private static let prefix = "whsec_"
  private static let newBytes = 32
  /// The permitted numbers of bytes.
  private static let sizes = 24...64

  /// The key of the signature.
  package let bytes: [UInt8]

  /// A new secret.
  package init(_ random: any RandomSource) { bytes = random.bytes(Self.newBytes) }

  /// Parses a secret; nil for another form.
  package init?(text: String) {
    guard text.hasPrefix(Self.prefix), let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
      Self.sizes.contains(data.count)
    else { return nil }
    bytes = Array(data)
  }

  /// The text of the secret, which operators give to the receiver.
  package var text: String { Self.prefix + Data(bytes).base64EncodedString() }

  /// Nothing of the secret.
  package var description: String { "redacted" }
  /// Nothing of the secret.
  package var debugDescription: String { description }
  /// Nothing of the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebhookSecret {
  /// Opens the sealed secret of an endpoint.
  init(sealed: [UInt8], of endpoint: String, with seal: SecretSeal) throws {
    guard let secret = WebhookSecret(text: try seal.open(sealed, id: endpoint)) else {
      throw StorageError.unexpectedValue(column: "secret", expected: "whsec_ and base64")
    }
    self = secret
  }
}
