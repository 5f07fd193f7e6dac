package import Foundation
import OnsideCommerce
package import StoreBase

/// The time of an account: the store's, and in a sandbox as far ahead of it as a developer has moved the account. What
/// becomes of an account's purchases carries it; sessions, limits and everything that the store itself does carry the
/// store's. It is read in the transaction that uses it: no process has an older one.
extension StoreTransaction {
  /// The same transaction at an account's time. An account that was removed has the store's, as has everyone in
  /// production.
  package func at(timeOf account: String, in environment: StoreEnvironment) throws -> StoreTransaction {
    guard environment == .sandbox else { return self }
    return ahead(byMilliseconds: try AccountRecords.millisecondsAhead(of: account, in: self) ?? 0)
  }
}

extension BaseDependencies {
  /// An account's time.
  package func now(of account: String) async throws -> Date {
    let now = clock.now()
    guard environment == .sandbox else { return now }
    return try await database.read(at: now) { [environment] in try $0.at(timeOf: account, in: environment).now }
  }

  /// Reads a consistent state, as of an account's time.
  package func read<T: Sendable>(
    for account: String, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await database.read(at: clock.now()) { [environment] in
      try body($0.at(timeOf: account, in: environment))
    }
  }

  /// Runs a write transaction at an account's time.
  package func write<T: Sendable>(
    for account: String, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await database.write(at: clock.now()) { [environment] in
      try body($0.at(timeOf: account, in: environment))
    }
  }
}
