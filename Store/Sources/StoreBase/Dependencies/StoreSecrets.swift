package import Crypto
public import Foundation
import OnsideAPI

/// The store's secrets, which are in its database and never print.
///
/// - Tokens, codes, forms, addresses of pages and the wallet's signing key depend on the numbered secrets. The newest
///   one that has begun makes them; each that has not ended verifies them.
/// - Ids of renewals, hashes in rows and the seal of merchants' secrets depend on the permanent secret, which is made
///   at the first start: with another one, a retry of a charge would be a second charge. It admits no one.
public final class StoreSecrets: Sendable, CustomStringConvertible {
  /// Seconds from a rotation to the first use of its secret. Every process has read it by then.
  public static let startDelay: TimeInterval = 60
  /// Seconds for which the previous secret verifies after that. ``HostedPageToken/longestLifetime`` equals it, and so
  /// does the longest `order_lifetime`.
  public static let overlap: TimeInterval = 86_400

  private let permanent: SymmetricKey
  package let database: any Database
  package let clock: any StoreClock
  package let random: any RandomSource
  private let secrets: ReloadedValue<[StoreSecret]>

  /// Always `redacted`.
  public var description: String { "redacted" }

  private init(_ dependencies: BaseDependencies, permanent: SymmetricKey, secrets: [StoreSecret]) {
    (database, clock, random) = (dependencies.database, dependencies.clock, dependencies.random)
    self.permanent = permanent
    self.secrets = ReloadedValue(secrets)
  }

  /// Reads the secrets, or makes the first one.
  package static func load(_ dependencies: BaseDependencies) async throws -> StoreSecrets {
    let fresh = dependencies.random.token(bytes: 32)
    let (first, all) = try await dependencies.database.write { connection in
      let first = try StoreSettings(connection: connection).value("master_secret", orSet: fresh)
      try StoreSecretRecords.insertFirst(first, in: connection)
      return (first, try StoreSecretRecords.all(in: connection))
    }
    let permanent = try StoreSecretRecords.key(first, column: "master_secret")
    return StoreSecrets(dependencies, permanent: permanent, secrets: all)
  }

  /// Reads the secrets again, after one of them may have been made or ended.
  package func reload() async throws {
    try await secrets.reload { try await database.read { try StoreSecretRecords.all(in: $0) } }
  }

  /// The key of a purpose that admits no one. A rotation leaves it as it is.
  package func permanentKey(for purpose: String) -> SymmetricKey {
    StoreSecret(number: 0, start: .distantPast, end: nil, value: permanent).key(for: purpose)
  }

  /// The values that are made from the keys of a purpose, one for each secret.
  package func versions<Value: Sendable>(
    of purpose: String, _ make: @escaping @Sendable (SymmetricKey) -> Value
  ) -> VersionedKey<Value> {
    VersionedKey(self) { make($0.key(for: purpose)) }
  }

  /// The keys of a purpose, one for each secret.
  package func keys(for purpose: String) -> VersionedKey<SymmetricKey> { versions(of: purpose) { $0 } }

  /// The secrets that have not ended, the newest first; never empty.
  var valid: [StoreSecret] {
    let now = clock.now()
    return secrets.read { secrets in secrets.filter { secret in secret.end.map { now < $0 } ?? true } }
  }

  /// The secret that makes codes and tokens at a time. After a leak that is the newest one at any time.
  func secret(at date: Date) -> StoreSecret {
    let valid = valid
    return valid.first { $0.start <= date } ?? valid[0]
  }

  var current: StoreSecret { secret(at: clock.now()) }

  /// Makes a new secret. It is used from ``startDelay`` on; the previous ones verify for ``overlap`` after that.
  /// Returns the time of the first use.
  @discardableResult
  public func rotate() async throws -> Date {
    let (now, fresh) = (clock.now(), random.token(bytes: 32))
    let start = now + Self.startDelay
    try await database.write(at: now) { transaction in
      try StoreSecretRecords.rotate(to: fresh, from: start, until: start + Self.overlap, in: transaction)
    }
    try await reload()
    return start
  }
}
