import Foundation
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

@Suite("Numbers after the commit", .timeLimit(.minutes(5)))
struct SequencerTests {
  private struct RolledBack: Error {}

  @Test(
    "STO-22: two processes that number each other's sales skip no number, and assign none twice",
    arguments: TestEngine.allCases)
  func together(engine: TestEngine) async throws {
    let (folder, clock) = (try TemporaryFolder(), ManualClock())
    var stores: [TestStore] = []
    for seed: UInt64 in 1...2 {
      let database = try await engine.open(in: folder, now: clock.now())
      stores.append(try await TestStore(in: folder, clock: clock, seed: seed, database: database))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        group.addTask { for _ in 0..<40 { try await store.sell() } }
        group.addTask { for _ in 0..<40 { try await store.core.sequencer.assign() } }
      }
      try await group.waitForAll()
    }
    try await stores[0].core.sequencer.assign()
    let numbers = try await stores[0].numberedReceipts().map(\.number)
    #expect(numbers == Array(1...80))
    for store in stores { await store.core.dependencies.database.close() }
  }

  @Test("STO-22: a sale that is rolled back leaves no gap")
  func rolledBack() async throws {
    let store = try await TestStore()
    for _ in 0..<3 {
      try await store.sell()
      let order = store.freshID()
      await #expect(throws: RolledBack.self) {
        try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
          try ReceiptRecords.add(order, entity: "R", in: transaction)
          throw RolledBack()
        }
      }
      try await store.core.sequencer.assign()
    }
    let numbers = try await store.numberedReceipts().map(\.number)
    #expect(numbers == [1, 2, 3])
  }

  @Test("STO-22: the numbers are in the order of the sales, whatever the orders' ids, and continue the earlier ones")
  func order() async throws {
    let store = try await TestStore()
    let orders = (0..<6).map { _ in store.freshID() }.reversed()
    for (index, order) in orders.enumerated() {
      try await store.sell(order)
      store.advance(by: .milliseconds(1))
      if index == 2 { try await store.core.sequencer.assign() }
    }
    try await store.core.sequencer.assign()
    let receipts = try await store.numberedReceipts()
    #expect(receipts.map(\.order) == orders.map(\.lowercase))
    #expect(receipts.map(\.number) == Array(1...6))
  }

  @Test("More receipts than one transaction numbers are all numbered at once")
  func many() async throws {
    let store = try await TestStore()
    let orders = (0..<1001).map { _ in store.freshID() }
    try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
      for order in orders { try ReceiptRecords.add(order, entity: "R", in: transaction) }
    }
    try await store.core.sequencer.assign()
    let numbers = try await store.numberedReceipts().map(\.number)
    #expect(numbers == Array(1...1001))
  }

  @Test("STO-22: a running store numbers a sale, and a store that stops those of its last moment")
  func running() async throws {
    let store = try await TestStore()
    try await store.live { _ in
      try await store.sell()
      try await NamedDeadline.wait(for: "the number of a receipt") {
        store.advance(by: .milliseconds(200))
        return try await store.numberedReceipts().count == 1
      }
      // The clock stands still from now on.
      try await store.sell()
    }
    let reopened = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    let numbers = try await reopened.numberedReceipts().map(\.number)
    #expect(numbers == [1, 2])
  }

  @Test("Numbers are no background writes, also in the periodic numbering")
  func priority() async throws {
    let (folder, clock) = (try TemporaryFolder(), ManualClock())
    let database = PriorityRecorder(try await TestEngine.sqlite.open(in: folder, now: clock.now()))
    let store = try await TestStore(in: folder, clock: clock, database: database)
    try await store.sell()
    let earlier = database.priorities.count
    try await WritePriority.$isBackground.withValue(true) { try await store.core.sequencer.assign() }
    #expect(Array(database.priorities.dropFirst(earlier)) == [false])
  }

  @Test("Without waiting rows, the numbering is one look into the index of each kind")
  func idle() async throws {
    let store = try await TestStore(isObserved: true)
    let database = try #require(store.core.dependencies.database as? ObservedDatabase)
    _ = database.takeStatements()
    try await store.core.sequencer.assign()
    let plans = try await database.takePlans()
    #expect(plans.count == 2)
    #expect(Set(plans.map(\.indexes)) == [["receipt_numbers_waiting"], ["merchant_events_waiting"]])
    try await store.sell()
    _ = database.takeStatements()
    try await store.core.sequencer.assign()
    let numbering = try await database.takePlans()
    #expect(numbering.count == 6)
    for plan in numbering { #expect(!plan.scannedTables.contains("receipt_numbers"), "\(plan)") }
  }
}

/// A database that notes whether each write is a background write.
private final class PriorityRecorder: ForwardingDatabase {
  let base: any Database
  private let found = Mutex<[Bool]>([])

  init(_ base: any Database) { self.base = base }

  var priorities: [Bool] { found.withLock { $0 } }

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    found.withLock { $0.append(WritePriority.isBackground) }
    return try await base.write(beside: commitHook, body)
  }
}

private struct NumberedReceipt: Sendable {
  let order: String
  let number: Int
}

extension TestStore {
  /// Writes the receipt of a sale.
  fileprivate func sell(_ order: UUID? = nil) async throws {
    let id = order ?? freshID()
    try await core.dependencies.database.write(at: clock.now()) {
      try ReceiptRecords.add(id, entity: "R", in: $0)
    }
  }

  /// The numbered receipts, in the order of their numbers.
  fileprivate func numberedReceipts() async throws -> [NumberedReceipt] {
    let rows = try await core.dependencies.database.read {
      try $0.rows("SELECT order_id, number FROM receipt_numbers WHERE number IS NOT NULL ORDER BY number")
    }
    return try rows.map { NumberedReceipt(order: try $0.text("order_id"), number: Int(try $0.integer("number"))) }
  }
}
