import Crypto
import Foundation
import StoreBase

/// Seals secrets for the database: HMAC needs the secret itself, a hash of it is not enough.
///
/// The key is of the permanent secret, because merchants' secrets stay valid for years: rotations of the store's
/// secret do not end them. A copy of the database opens the seal.
struct SecretSeal: Sendable {
  private let purpose: String
  private let key: SymmetricKey
  private let random: any RandomSource

  /// - Parameter purpose: the kind of the secrets. The seal of one kind does not open as that of another.
  init(purpose: String, secrets: StoreSecrets, random: any RandomSource) {
    self.purpose = purpose
    key = secrets.permanentKey(for: purpose)
    self.random = random
  }

  /// - Parameter id: the id of the row. The seal of one id does not open as that of another.
  func seal(_ text: String, id: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(
      Data(text.utf8), using: key, nonce: AES.GCM.Nonce(data: random.bytes(12)), authenticating: Data(id.utf8))
    // The combined form is missing for other nonce lengths only.
    return Array(box.combined ?? Data())
  }

  /// The sealed text. Throws a `StorageError` for the seal of another id, kind or store.
  func open(_ sealed: [UInt8], id: String) throws -> String {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let opened = try? AES.GCM.open(box, using: key, authenticating: Data(id.utf8)),
      let text = String(validating: opened, as: UTF8.self)
    else {
      throw StorageError.unexpectedValue(column: "secret", expected: "one of \(purpose), sealed by this store")
    }
    return text
  }
}
