import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("A database of an earlier schema", .timeLimit(.minutes(5)))
struct UpgradeTests {
  /// The schemas of stores in use since the first PostgreSQL databases, and the one before the newest migration.
  static let schemas: [Int] = {
    let former = [161, 180, 223, 230, 252, 270, 300, 310, 321, 324, 328, 334, 336]
    let last = Migration.all.map(\.number).sorted().dropLast().last
    return Array(Set(former + (last.map { [$0] } ?? []))).sorted()
  }()

  private let clock = ManualClock()

  /// A store's database with a purchase that was finished, one that was refunded, and an order that is open.
  private func source() async throws -> (database: any Database, account: String, bought: OrderID) {
    let folder = try TemporaryFolder()
    let database = try await TestEngine.sqlite.open(in: folder, now: clock.now())
    let store = try await TestStore(in: folder, clock: clock, database: database)
    let account = try await store.account()
    try await store.openShop()
    let bought = OrderID(store.freshID())
    try await store.test { client in
      let shopper = Shopper(store: store, client: client, accountID: account, country: "NL")
      let order = try await shopper.order("coins", key: bought.uuid, token: "user-1")
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .paid)
      let secondOutcome = try await shopper.finish(order.id)
      #expect(secondOutcome == .noContent)
      let refunded = try await shopper.buy("remove_ads")
      try await store.core.orders.refund(refunded.id.uuid, because: .support)
      try await store.settle()
      _ = try await shopper.order("season")
    }
    // Earlier schemas have no receipt without a number.
    try await store.core.sequencer.assign()
    let wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    return (database, account, bought)
  }

  @Test(
    "STO-8: is brought forward with every row unharmed, its books agree, and its customers go on buying",
    arguments: TestEngine.allCases, schemas)
  func forward(engine: TestEngine, schema: Int) async throws {
    let (source, account, bought) = try await source()
    let older = try await OlderStore(engine, schema: schema, dataOf: source)
    let database = try await older.open()
    let newest = try #require(Migration.all.map(\.number).max())
    #expect(database.schemaChange == SchemaChange(from: schema, to: newest))
    if engine == .sqlite {
      let statistics = try await database.read {
        try $0.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'")
      }
      #expect(statistics.isEmpty)
    }
    for table in ["orders", "payments", "ledger", "accounts", "vault_records", "settings"] {
      let rows = try await source.read { try older.rows(table, in: $0) }
      #expect(rows != [])
    }
    for table in older.tables.keys {
      let before = try await source.read { try older.rows(table, in: $0) }
      let after = try await database.read { try older.rows(table, in: $0) }
      #expect(Set(after) == Set(before) && after.count == before.count, "table \(table)")
    }
    let faults = try await database.read { try Reconciliation($0).faults() }
    #expect(faults == [])
    let store = try await TestStore(clock: clock, seed: 2, database: database)
    try await store.test { client in
      let shopper = Shopper(store: store, client: client, accountID: account, country: "NL")
      #expect(try await shopper.order(bought).finished)
      let next = try await shopper.buy("coins")
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(Set(history.map(\.orderID)).isSuperset(of: [bought.uuid, next.id.uuid]))
    }
    let secondFaults = try await database.read { try Reconciliation($0).faults() }
    #expect(secondFaults == [])
    await database.close()
  }

  @Test(
    "STO-22: receipts keep their numbers, and the next sale has the number after them", arguments: TestEngine.allCases)
  func receipts(engine: TestEngine) async throws {
    let (source, account, _) = try await source()
    let older = try await OlderStore(engine, schema: 339, dataOf: source)
    let database = try await older.open()
    let numbers: @Sendable (any SQLConnection) throws -> [String: Int64] = { connection in
      try Dictionary(
        uniqueKeysWithValues: connection.rows("SELECT order_id, number FROM receipt_numbers").map {
          (try $0.text("order_id"), try $0.integer("number"))
        })
    }
    let before = try await database.read(numbers)
    #expect(before.values.sorted() == [1, 2])
    let store = try await TestStore(clock: clock, seed: 2, database: database)
    try await store.test { client in
      let shopper = Shopper(store: store, client: client, accountID: account, country: "NL")
      let next = try await shopper.buy("coins")
      try await store.core.sequencer.assign()
      let after = try await database.read(numbers)
      #expect(after == before.merging([next.id.description: 3]) { $1 })
    }
    await database.close()
  }

  @Test("is refused with a step whose text was altered, and once it was brought forward by the earlier program")
  func refused() async throws {
    let (source, _, _) = try await source()
    for engine in TestEngine.allCases {
      let older = try await OlderStore(engine, schema: 161, dataOf: source)
      let altered = Migration.all.map { step in
        step.number == 161
          ? Migration(161, name: step.name, sql: step.sql + " ", postgres: step.postgres + " ") : step
      }
      let error = await #expect(throws: DatabaseOpenError.self) { try await older.open(altered) }
      guard case .alteredMigration(number: 161, name: _)? = error else {
        Issue.record("\(engine): expected a refusal of the altered step, but got \(String(describing: error))")
        return
      }
      let database = try await older.open()
      #expect(database.schemaChange?.from == 161, "the refusal has changed nothing")
      await database.close()
      let newer = await #expect(throws: DatabaseOpenError.self) {
        try await older.open(OlderStore.migrations(upTo: 161))
      }
      guard case .newerVersion(path: _, found: _, known: 161)? = newer else {
        Issue.record("\(engine): expected a refusal of the newer schema, but got \(String(describing: newer))")
        return
      }
    }
  }

  #if canImport(PostgresClient)
    @Test("STO-8: that several processes open at the same time on PostgreSQL is brought forward by one of them")
    func together() async throws {
      let (source, _, _) = try await source()
      let older = try await OlderStore(.postgres, schema: 161, dataOf: source)
      let databases = try await withThrowingTaskGroup(of: (any Database).self) { group in
        for _ in 0..<4 { group.addTask { try await older.open() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(databases.compactMap(\.schemaChange).map(\.from) == [161])
      let steps = try await databases[0].read { try SchemaRecords.applied(in: $0) }
      #expect(steps == Set(Migration.all.map(\.number)))
      for database in databases { await database.close() }
    }
  #endif
}
