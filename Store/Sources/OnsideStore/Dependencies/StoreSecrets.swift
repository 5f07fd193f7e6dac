public import Crypto
import Foundation
import OnsideAPI

/// The store's secret keys: one for each purpose, all derived (HKDF) from one secret that is made at the first start
/// and kept in the database. It never prints.
public struct StoreSecrets: Sendable, CustomStringConvertible {
  private let master: SymmetricKey

  /// Always `redacted`.
  public var description: String { "redacted" }

  /// The key of one purpose; purposes never share a key.
  public func key(for purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: master, info: Data("onside-store:\(purpose)".utf8), outputByteCount: 32)
  }

  /// Reads the secret, or makes it.
  static func load(_ database: any Database, _ random: any RandomSource) async throws -> StoreSecrets {
    let fresh = random.token(bytes: 32)
    let kept = try await database.write { try StoreSettings(connection: $0).value("master_secret", orSet: fresh) }
    guard let bytes = Base64URL.decode(kept), bytes.count == 32 else {
      throw StorageError.unexpectedValue(column: "master_secret", expected: "32 bytes as base64url")
    }
    return StoreSecrets(master: SymmetricKey(data: bytes))
  }
}
