package import Crypto
import Foundation

/// One of the store's secrets. Keys are derived from it (HKDF), one for each purpose; purposes never share a key.
package struct StoreSecret: Sendable {
  /// Grows with each rotation, and is never used again.
  let number: Int64
  /// The time from which it makes codes and tokens. It verifies them before that, too: another process may be ahead.
  let start: Date
  /// The time from which nothing that it made is accepted; nil for the newest one.
  let end: Date?
  let value: SymmetricKey

  package func key(for purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: value, info: Data("onside-store:\(purpose)".utf8), outputByteCount: 32)
  }
}
