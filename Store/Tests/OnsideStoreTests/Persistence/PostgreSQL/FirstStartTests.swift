import Crypto
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales
@testable import StoreVault

@Suite("Several processes that start on one PostgreSQL database", .serialized, .timeLimit(.minutes(5)))
struct FirstStartTests {
  /// What a store makes at its first start.
  private struct Made: Equatable {
    let secret: String
    let epoch: String
    let vault: String?
    let keys: [String]

    init(_ core: StoreCore) async throws {
      secret = [core.secrets.permanentKey(for: "test"), core.secrets.keys(for: "test").current].map { key in
        key.withUnsafeBytes { Hexadecimal.encode($0) }
      }.joined(separator: " ")
      keys = core.signingKeys.all.map { "\($0.id) \($0.state)" }
      (epoch, vault) = try await core.dependencies.database.read { connection in
        (try SyncEpoch.current(in: connection), try VaultGenerationRecords.current(in: connection)?.mark)
      }
    }
  }

  /// Runs a body in two tasks at once.
  private func both<T: Sendable>(_ body: @escaping @Sendable (UInt64) async throws -> T) async throws -> (T, T) {
    async let first = body(1)
    async let second = body(2)
    return try await (first, second)
  }

  @Test("on an empty one at once: one makes tables, secret, epoch and keys, the other uses them", arguments: 0..<10)
  func empty(round: Int) async throws {
    let test = try await PostgresTestDatabase()
    let stores = try await both { seed in
      try await TestStore(seed: seed, database: test.open(Migration.all))
    }
    for store in [stores.0, stores.1] {
      try await DatabaseEnvironment(.sandbox).write(store.core.dependencies.database)
    }
    let made = try await Made(stores.0.core)
    let actualMade = try await Made(stores.1.core)
    #expect(actualMade == made)
    #expect(made.keys.count == 2 && !made.epoch.isEmpty && made.vault != nil)
    let later = try await TestStore(seed: 3, database: test.open(Migration.all))
    let secondMade = try await Made(later.core)
    #expect(secondMade == made)
    for store in [stores.0, stores.1, later] { await store.core.dependencies.database.close() }
  }

  @Test("STO-13: a sandbox and a production store at once: the database belongs to one, the other is refused")
  func environments() async throws {
    let test = try await PostgresTestDatabase()
    let (sandbox, production) = try await both { number in
      let database = try await test.open(Migration.all)
      do {
        try await DatabaseEnvironment(number == 1 ? .sandbox : .production).write(database)
        await database.close()
        return true
      } catch is EnvironmentMismatch {
        await database.close()
        return false
      }
    }
    #expect(sandbox != production)
  }

  @Test("STO-11: two that rotate the keys at once: one does, the other's next key is too young", arguments: 0..<10)
  func rotation(round: Int) async throws {
    let test = try await PostgresTestDatabase()
    let clock = ManualClock()
    let stores = try await both { seed in
      try await TestStore(clock: clock, seed: seed, database: test.open(Migration.all))
    }
    clock.advance(by: .seconds(600))
    let (first, second) = try await both { number in
      do {
        try await (number == 1 ? stores.0 : stores.1).core.signingKeys.rotate()
        return true
      } catch SigningKeyError.publishedTooShort { return false }
    }
    #expect(first != second)
    for store in [stores.0, stores.1] {
      try await store.core.caches.reloadChanged()
      #expect(store.core.signingKeys.all.map(\.state) == [.next, .active, .retired])
    }
    #expect(stores.0.core.signingKeys.all.map(\.id) == stores.1.core.signingKeys.all.map(\.id))
    for store in [stores.0, stores.1] { await store.core.dependencies.database.close() }
  }
}
