import Crypto
package import Foundation
import Synchronization

/// The values that are made from the keys of one purpose, such as the issuers of access tokens: one for each of the
/// store's secrets, made once.
public struct VersionedKey<Value: Sendable>: Sendable {
  private final class Made: Sendable {
    /// By number. A database that lost the last commits in a failover uses a number again, with another secret.
    let values = Mutex<[Int64: (secret: SymmetricKey, value: Value)]>([:])
  }

  private let secrets: StoreSecrets
  private let make: @Sendable (StoreSecret) -> Value
  private let made = Made()

  package init(_ secrets: StoreSecrets, make: @escaping @Sendable (StoreSecret) -> Value) {
    self.secrets = secrets
    self.make = make
  }

  /// The value that makes codes and tokens now.
  package var current: Value { value(of: secrets.current) }

  /// The value that made codes and tokens at a time, if its secret has not ended.
  package func value(at date: Date) -> Value { value(of: secrets.secret(at: date)) }

  /// The first result of a valid value, the newest first; nil if no value has one.
  package func first<Result>(_ body: (Value) -> Result?) -> Result? {
    for secret in secrets.valid {
      if let result = body(value(of: secret)) { return result }
    }
    return nil
  }

  /// A Boolean value that indicates whether a condition holds for any valid value.
  package func isAny(_ condition: (Value) -> Bool) -> Bool { first { condition($0) ? true : nil } ?? false }

  private func value(of secret: StoreSecret) -> Value {
    made.values.withLock { values in
      if let known = values[secret.number], known.secret == secret.value { return known.value }
      let value = make(secret)
      values[secret.number] = (secret.value, value)
      return value
    }
  }
}
