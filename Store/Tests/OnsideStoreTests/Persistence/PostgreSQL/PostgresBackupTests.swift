import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import PostgresClient
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales
@testable import StoreVault

@Suite("Copies of a PostgreSQL database", .timeLimit(.minutes(5)))
struct PostgresBackupTests {
  private struct Interruption: Error {}

  private let folder: TemporaryFolder
  private let source: PostgresTestDatabase
  private let clock = ManualClock()

  init() async throws {
    folder = try TemporaryFolder()
    source = try await PostgresTestDatabase()
  }

  private var copy: String { folder.file("copy.dump") }

  private func url(_ database: PostgresTestDatabase) throws -> PostgresURL {
    try #require(PostgresURL(database.server.url(database.name)))
  }

  private func backUp(overwriting: Bool = false) async throws -> DatabaseCopy {
    let (url, copy) = (try url(source), copy)
    return try await onThread { try PostgresBackup(of: url).write(to: copy, overwrites: overwriting) }
  }

  private func restore(
    into target: PostgresTestDatabase, from file: String? = nil,
    beforeLastStep: @escaping @Sendable () throws -> Void = {}
  ) async throws -> DatabaseRestore.Outcome {
    let (url, file) = (try url(target), file ?? copy)
    return try await onThread { try PostgresRestore(into: url, beforeLastStep: beforeLastStep).put(file, now: Date()) }
  }

  /// A store on a database.
  private func store(_ database: any Database, seed: UInt64) async throws -> TestStore {
    let guardPath = folder.file("vault-guard")
    return try await TestStore(in: folder, clock: clock, seed: seed, database: database) {
      $0.vault.guardPath = guardPath
    }
  }

  @Test("STO-2, QUE-16: a restored copy has all from before it; cursors start over, and the vault notices")
  func backsUp() async throws {
    let serving = try await source.open(Migration.all)
    let before = try await store(serving, seed: 1)
    let wallet = WalletDevice(store: before.core, seed: 1)
    try await wallet.signUp()
    try await before.shop { shopper in
      let sold = try await shopper.buy("coins")
      let schema = try await backUp().schema
      #expect(schema == Migration.all.map(\.number).max())
      let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let contentsOfDirectory = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        $0.contains("part")
      }
      #expect(contentsOfDirectory == [])
      let later = try await shopper.buy("coins")
      let cursor = try await shopper.sync().cursor
      try await wallet.evaluate()

      let target = try await PostgresTestDatabase()
      let outcome = try await restore(into: target)
      #expect(!outcome.isOlder && outcome.kept == nil)
      let restored = try await target.open(Migration.all)
      let after = try await store(restored, seed: 2)
      let faults = try await restored.read { try Reconciliation($0).faults() }
      #expect(faults == [])
      #expect(try await !after.core.isVaultCurrent())
      let isSuspended = try await after.core.areChargesSuspended()
      #expect(isSuspended)
      try await after.test { client in
        let shopper = Shopper(store: after, client: client, accountID: shopper.accountID, country: "NL")
        let answer = try await shopper.sync(cursor)
        #expect(answer.startsOver && answer.cursor != cursor)
        #expect(answer.orders.map(\.id) == [sold.id])
        let status = try await shopper.get("/v1/orders/\(later.id)").status
        #expect(status == .notFound)
      }
      await restored.close()
    }
    await serving.close()
  }

  @Test("A copy takes no other file's place unless it is told to; a database that is not a store's is not copied")
  func refusals() async throws {
    try Data("precious".utf8).write(to: URL(filePath: copy))
    let empty = DatabaseCopyError.empty("\(try url(source))")
    await #expect(throws: empty) { try await backUp(overwriting: true) }
    let database = try await source.open(Migration.all)
    await #expect(throws: DatabaseCopyError.exists(copy)) { try await backUp() }
    let data = try Data(contentsOf: URL(filePath: copy))
    #expect(data == Data("precious".utf8))
    let size = try await backUp(overwriting: true).size
    #expect(size > 10_000)
    await database.close()
  }

  /// A dump of a database that is no store's.
  private func foreignDump() async throws -> String {
    let address = try PostgresAddress(url(try await PostgresTestDatabase()).text)
    let file = folder.file("foreign.dump")
    try await onThread {
      let connection = try PostgresConnection(address)
      defer { connection.close() }
      try connection.run(script: "CREATE TABLE numbers(value BIGINT NOT NULL)")
      try PostgresTool("pg_dump").run(["--format=custom", "--no-password", "--file=\(file)"], at: address)
    }
    return file
  }

  @Test("A backup is put into an empty database only; damaged, foreign and missing files leave it empty")
  func badBackups() async throws {
    let database = try await source.open(Migration.all)
    _ = try await backUp()
    await #expect(throws: DatabaseCopyError.notEmpty("\(try url(source))")) { try await restore(into: source) }
    await database.close()
    let target = try await PostgresTestDatabase()
    await #expect(throws: DatabaseCopyError.missing("none")) { try await restore(into: target, from: "none") }
    let half = folder.file("half.dump")
    let whole = try Data(contentsOf: URL(filePath: copy))
    try whole.prefix(whole.count / 2).write(to: URL(filePath: half))
    try Data(repeating: 65, count: 8192).write(to: URL(filePath: folder.file("garbage")))
    for file in [half, folder.file("garbage")] {
      await #expect(throws: PostgresToolError.self) { try await restore(into: target, from: file) }
    }
    let foreign = try await foreignDump()
    await #expect(throws: DatabaseCopyError.notADump(foreign)) { try await restore(into: target, from: foreign) }
    let url = try url(target)
    let isEmpty = try await onThread {
      let move = try MoveTarget(url)
      defer { move.close() }
      return try move.connection.tableNames().isEmpty
    }
    #expect(isEmpty)
  }

  @Test("A restore that is cut short leaves no database that a store would take")
  func interrupted() async throws {
    let database = try await source.open(Migration.all)
    await database.close()
    _ = try await backUp()
    let target = try await PostgresTestDatabase()
    await #expect(throws: Interruption.self) {
      try await restore(into: target) { throw Interruption() }
    }
    await #expect(throws: DatabaseOpenError.self) { try await target.open(Migration.all) }
  }
}
