import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales

@Suite("Numbers of events", .timeLimit(.minutes(5)))
struct EventNumbersTests {
  private struct Numbered: Equatable {
    let position: Int64
    let epoch: String?
    let number: Int64?
  }

  private struct RolledBack: Error {}

  /// The events of an app in the order of their positions.
  private func events(_ store: TestStore, of app: String = TestShop.app.id) async throws -> [Numbered] {
    try await store.core.dependencies.database.read { connection in
      try connection.rows(
        "SELECT position, epoch, number FROM merchant_events WHERE app_id = $1 ORDER BY position", [.text(app)]
      ).map {
        Numbered(
          position: try $0.integer("position"), epoch: try $0.optionalText("epoch"),
          number: try $0.optionalInteger("number"))
      }
    }
  }

  @Test(
    "MER-6: two processes that number events at once skip no number of an app, and assign none twice",
    arguments: TestEngine.allCases)
  func together(engine: TestEngine) async throws {
    let (folder, clock) = (try TemporaryFolder(), ManualClock())
    var stores: [TestStore] = []
    for seed: UInt64 in 1...2 {
      let database = try await engine.open(in: folder, now: clock.now())
      stores.append(try await TestStore(in: folder, clock: clock, seed: seed, database: database))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          for _ in 0..<30 {
            try await store.append([.entitlementChanged, .orderPaid], of: "s-\(index)")
            try await store.append([.orderPaid], of: "s-\(index)", in: TestStore.otherApp)
          }
        }
        group.addTask { for _ in 0..<30 { try await store.core.sequencer.assign() } }
      }
      try await group.waitForAll()
    }
    try await stores[0].core.sequencer.assign()
    for (app, count) in [(TestShop.app.id, Int64(120)), (TestStore.otherApp, 60)] {
      let numbers = try await events(stores[0], of: app).compactMap(\.number)
      #expect(numbers.sorted() == Array(1...count))
    }
    for store in stores { await store.core.dependencies.database.close() }
  }

  @Test("MER-6: events are numbered in the order of their positions, more than one batch at once")
  func many() async throws {
    let store = try await TestStore()
    try await store.append(Array(repeating: .entitlementChanged, count: 1001))
    try await store.core.sequencer.assign()
    let numbers = try await events(store).compactMap(\.number)
    #expect(numbers == (1...1001).map { Int64($0) })
  }

  @Test("MER-6: an event has the epoch in which it was numbered, and the numbers continue in a new epoch")
  func epoch() async throws {
    let store = try await TestStore()
    let first = try await store.epoch()
    try await store.append([.entitlementChanged])
    try await store.core.sequencer.assign()
    try await store.append([.entitlementChanged])
    try await store.core.dependencies.database.write(at: store.clock.now()) {
      try SyncEpoch.set("second", at: $0.storeNow, in: $0)
    }
    try await store.core.sequencer.assign()
    let found = try await events(store)
    #expect(found.map(\.epoch) == [first, "second"])
    #expect(found.map(\.number) == [1, 2])
  }

  @Test("MER-6: an event that is rolled back leaves no gap")
  func rolledBack() async throws {
    let store = try await TestStore()
    let object = EventObject(
      kind: .customer, id: "s-9", customer: Customer(account: "account", app: TestShop.app.id),
      appAccountToken: nil, subject: "s-9")
    for _ in 0..<3 {
      try await store.append([.entitlementChanged])
      await #expect(throws: RolledBack.self) {
        try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
          try MerchantEventRecords.append(
            [EventNote(type: .entitlementChanged)], of: object, data: "{}", in: transaction)
          throw RolledBack()
        }
      }
      try await store.core.sequencer.assign()
    }
    let numbers = try await events(store).map(\.number)
    #expect(numbers == [1, 2, 3])
  }

  @Test("Without waiting events, the numbering is one look into their index")
  func idle() async throws {
    let store = try await TestStore(isObserved: true)
    let database = try #require(store.core.dependencies.database as? ObservedDatabase)
    try await store.append([.entitlementChanged])
    try await store.core.sequencer.assign()
    _ = database.takeStatements()
    try await store.core.sequencer.assign()
    let plans = try await database.takePlans()
    let looks = plans.filter { $0.indexes.contains("merchant_events_waiting") }
    #expect(looks.count == 1)
    for plan in plans { #expect(!plan.tablesReadWithoutIndex.contains("merchant_events"), "\(plan)") }
  }
}
