import Crypto
import Foundation
import StoreBase

/// Seals merchants' secrets for the database: HS256 needs the secret itself, a hash of it is not enough.
///
/// The key is of the permanent secret, because a merchant's secret stays valid for years: rotations of the store's
/// secret do not end it. A copy of the database opens the seal; `onside secret rotate --leaked` therefore deletes all
/// merchants' secrets.
struct MerchantSecretSeal: Sendable {
  private let key: SymmetricKey
  private let random: any RandomSource

  init(secrets: StoreSecrets, random: any RandomSource) {
    key = secrets.permanentKey(for: "merchant-secrets")
    self.random = random
  }

  /// - Parameter id: the id of the secret. The seal of one id does not open as that of another.
  func sealed(_ secret: MerchantSecret, id: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(
      Data(secret.text.utf8), using: key, nonce: AES.GCM.Nonce(data: random.bytes(12)),
      authenticating: Data(id.utf8))
    // The combined form is missing for other nonce lengths only.
    return Array(box.combined ?? Data())
  }

  func secret(_ sealed: [UInt8], id: String) throws -> MerchantSecret {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let opened = try? AES.GCM.open(box, using: key, authenticating: Data(id.utf8)),
      let text = String(validating: opened, as: UTF8.self)
    else { throw StorageError.unexpectedValue(column: "sealed", expected: "a secret sealed by this store") }
    return MerchantSecret(text)
  }
}
