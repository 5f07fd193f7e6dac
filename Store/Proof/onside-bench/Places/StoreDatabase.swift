import Crypto
import Foundation
import Logging
import OnsideStore
import StoreBase

/// Direct reads of the store's database.
enum StoreDatabase {
  /// The key that the store shares with its sandbox provider; the measurement plays the provider.
  static func providerKey(_ place: Workplace) async throws -> SymmetricKey {
    try await withCore(place) { $0.sandboxProviderKey }
  }

  /// Opens the store's database and services, beside the store if that runs.
  static func withCore<Value>(_ place: Workplace, _ body: (StoreCore) async throws -> Value) async throws -> Value {
    let clock = SystemClock()
    let text = place.isOnPostgres ? place.database : place.file(place.database).path
    guard let location = DatabaseLocation(text) else { throw BenchFailure("expected a database, got \(text)") }
    let database = try location.open(now: clock.now())
    do {
      let core = try await StoreCore(
        StoreDependencies(
          clock: clock, database: database, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }))
      let value = try await body(core)
      await database.close()
      return value
    } catch {
      await database.close()
      throw error
    }
  }

  /// The size of the store's database, in bytes.
  static func size(_ place: Workplace) async throws -> Int {
    guard place.isOnPostgres else { return try size(place.file(place.database)) }
    return try await withCore(place) { core in
      let row = try await core.dependencies.database.read {
        try $0.row("SELECT pg_database_size(current_database()) AS bytes").map { try $0.integer("bytes") }
      }
      guard let row else { throw BenchFailure("expected the size of the database") }
      return Int(row)
    }
  }

  /// The size of a database file, in bytes.
  static func size(_ file: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    guard let size = attributes[.size] as? Int else { throw BenchFailure("expected a size of \(file.path)") }
    return size
  }
}
