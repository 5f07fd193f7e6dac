import Crypto
import Foundation
import StoreBase

/// Seals the secrets of endpoints for the database: HMAC needs the secret itself, a hash of it is not enough.
///
/// The key is of the permanent secret, because an endpoint's secret stays valid for years: rotations of the store's
/// secret do not end it. A copy of the database opens the seal.
struct WebhookSeal: Sendable {
  private let key: SymmetricKey
  private let random: any RandomSource

  init(secrets: StoreSecrets, random: any RandomSource) {
    key = secrets.permanentKey(for: "webhook-secrets")
    self.random = random
  }

  /// - Parameter id: the id of the endpoint. The seal of one id does not open as that of another.
  func sealed(_ secret: WebhookSecret, id: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(
      Data(secret.text.utf8), using: key, nonce: AES.GCM.Nonce(data: random.bytes(12)),
      authenticating: Data(id.utf8))
    // The combined form is missing for other nonce lengths only.
    return Array(box.combined ?? Data())
  }

  func secret(_ sealed: [UInt8], id: String) throws -> WebhookSecret {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let opened = try? AES.GCM.open(box, using: key, authenticating: Data(id.utf8)),
      let text = String(validating: opened, as: UTF8.self), let secret = WebhookSecret(text: text)
    else { throw StorageError.unexpectedValue(column: "secret", expected: "a secret sealed by this store") }
    return secret
  }
}
