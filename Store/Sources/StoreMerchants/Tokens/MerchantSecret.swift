import Crypto
package import Foundation
import OnsideAPI
import StoreBase

/// A secret with which a merchant's server signs its JWTs: 32 bytes in base64url. The key of HS256 is this text in
/// UTF-8, as JWT libraries take it. Printing a secret shows nothing.
package struct MerchantSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The purpose of the seal in the database. `onside secret rotate --leaked` deletes all merchants' secrets.
  static let sealPurpose = "merchant-secrets"
  private static let idBytes = 8

  /// The text, which is shown once.
  package let text: String

  init(_ text: String) { self.text = text }

  init(random: any RandomSource) { text = random.token(bytes: 32) }

  var key: SymmetricKey { SymmetricKey(data: Data(text.utf8)) }

  /// A new id of a secret.
  static func id(random: any RandomSource) -> String { Hexadecimal.encode(random.bytes(idBytes)) }

  /// A Boolean value that indicates whether a text has the form of an id.
  static func isID(_ text: String) -> Bool { Hexadecimal.decode(text)?.count == idBytes }

  /// Nothing of the secret.
  package var description: String { "redacted" }
  /// Nothing of the secret.
  package var debugDescription: String { description }
  /// Nothing of the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A stored secret, as it is listed.
package struct MerchantSecretEntry: Sendable, Hashable {
  /// The id of the secret (`kid`).
  package let id: String
  /// The merchant id (`sub`), one for each app.
  package let merchant: String
  /// The app.
  package let app: String
  /// The time of creation.
  package let createdAt: Date
  /// The time of the last request; nil before the first one. It is up to a minute late.
  package let lastUsedAt: Date?
  /// The end of its validity; nil for the newest secret of the app.
  package let validUntil: Date?
}

/// A new secret.
package struct NewMerchantSecret: Sendable {
  /// The entry in the list.
  package let entry: MerchantSecretEntry
  /// The secret, which is stored sealed.
  package let secret: MerchantSecret
}
