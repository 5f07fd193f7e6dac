import Foundation
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("The audit of operators' acts", .timeLimit(.minutes(5)))
struct AuditTests {
  private struct Refused: Error, CustomStringConvertible {
    let description = "the act was refused"
  }

  fileprivate static let act = AuditedAct(
    "offering set", of: "plans", by: "anna", via: .command, arguments: ["app": "a"])

  @Test("MER-9: an act that changes data has one row, with its operator, subject and arguments")
  func row() async throws {
    let store = try await TestStore()
    try await store.act { try await store.note("first") }
    let entries = try await store.audit()
    let expected = AuditEntry(
      id: try #require(entries.first).id, date: store.clock.now(), act: Self.act, outcome: .done, error: nil)
    #expect(entries == [expected])
  }

  @Test("MER-9: the row is readable after the first change, before the act ends; a second change adds none")
  func together() async throws {
    let store = try await TestStore()
    try await store.act {
      try await store.note("first")
      let outcomes = try await store.audit().map(\.outcome)
      #expect(outcomes == [.done])
      try await store.note("second")
    }
    let count = try await store.audit().count
    #expect(count == 1)
  }

  @Test("MER-9: an act whose transaction is rolled back has a row with outcome failed and the error")
  func rolledBack() async throws {
    let store = try await TestStore()
    await #expect(throws: Refused.self) {
      try await store.act {
        try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
          try StoreSettings(connection: transaction).set("note", to: "first")
          throw Refused()
        }
      }
    }
    let entries = try await store.audit()
    #expect(entries.map(\.outcome) == [.failed] && entries.map(\.error) == ["the act was refused"])
    let note = try await store.note()
    #expect(note == nil)
  }

  @Test("MER-9: an act that fails after its first change has one row with outcome incomplete and the error")
  func incomplete() async throws {
    let store = try await TestStore()
    await #expect(throws: Refused.self) {
      try await store.act {
        try await store.note("first")
        throw Refused()
      }
    }
    let entries = try await store.audit()
    #expect(entries.map(\.outcome) == [.incomplete] && entries.map(\.error) == ["the act was refused"])
    let note = try await store.note()
    #expect(note == "first")
  }

  @Test("MER-9: an act without a change has one row; one that fails after a transaction without a change has failed")
  func withoutChange() async throws {
    let store = try await TestStore()
    let (database, now) = (store.core.dependencies.database, store.clock.now())
    let look: @Sendable (StoreTransaction) throws -> Void = { transaction in
      _ = try StoreSettings(connection: transaction).value("note")
      try transaction.execute("UPDATE settings SET value = $1 WHERE name = $2", ["x", "no such name"])
    }
    try await store.act { try await database.write(at: now, look) }
    let first = try await store.audit().map(\.outcome)
    #expect(first == [.done])
    await #expect(throws: Refused.self) {
      try await store.act {
        try await database.write(at: now, look)
        throw Refused()
      }
    }
    let both = try await store.audit().map(\.outcome)
    #expect(both == [.failed, .done])
  }

  @Test("MER-9: a query that returns inserted rows counts as a change")
  func returning() async throws {
    let store = try await TestStore()
    try await store.act {
      try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
        _ = try transaction.rows(
          "INSERT INTO settings(name, value) VALUES ($1, $2) RETURNING name", ["note", "first"])
      }
      let outcomes = try await store.audit().map(\.outcome)
      #expect(outcomes == [.done])
    }
  }

  @Test("MER-9: a write that the engine runs again leaves one row, and a write outside of acts none")
  func runsAgain() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let file = try await TestEngine.sqlite.open(in: folder, now: clock.now())
    let store = try await TestStore(in: folder, clock: clock, database: RepeatedWrites(base: file))
    try await store.note("none")
    let none = try await store.audit()
    #expect(none == [])
    try await store.act { try await store.note("first") }
    let outcomes = try await store.audit().map(\.outcome)
    #expect(outcomes == [.done])
  }

  @Test("MER-9: an act has one row also when its first commit was reported as failed")
  func unclearCommit() async throws {
    let store = try await TestStore()
    try await store.act {
      await #expect(throws: StorageError.self) {
        try await store.core.dependencies.database.write(at: store.clock.now(), beside: FailedEnd()) {
          try StoreSettings(connection: $0).set("note", to: "first")
        }
      }
      try await store.note("second")
    }
    let outcomes = try await store.audit().map(\.outcome)
    #expect(outcomes == [.done])
  }

  /// Fails after the commit.
  private final class FailedEnd: CommitHook {
    func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void {
      let end: @Sendable () throws -> Void = { throw Refused() }
      return end
    }
  }

  @Test("MER-9: concurrent writes of one act leave one row")
  func concurrent() async throws {
    let store = try await TestStore()
    try await store.act {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 { group.addTask { try await store.note("\(number)") } }
        try await group.waitForAll()
      }
    }
    let outcomes = try await store.audit().map(\.outcome)
    #expect(outcomes == [.done])
  }

  @Test("Rows are chosen by time, act and operator, the newest first, up to a limit")
  func filters() async throws {
    let store = try await TestStore()
    for (name, operatorName) in [("subscription stop", "anna"), ("subscriptions", "bert"), ("refund", "anna")] {
      try await AuditedAct(name, of: nil, by: operatorName, via: .key).perform(with: store.core.dependencies.base) {}
      store.clock.advance(by: .seconds(60))
    }
    let last = store.clock.now() - 60
    let cases: [(AuditFilter, [String])] = [
      (AuditFilter(), ["refund", "subscriptions", "subscription stop"]), (AuditFilter(limit: 1), ["refund"]),
      (AuditFilter(since: last), ["refund"]), (AuditFilter(act: "subscription"), ["subscription stop"]),
      (AuditFilter(act: "subscription stop"), ["subscription stop"]),
      (AuditFilter(operatorName: "anna"), ["refund", "subscription stop"]),
      (AuditFilter(act: "refund", operatorName: "bert"), []),
    ]
    for (filter, names) in cases {
      let entries = try await store.audit(filter)
      #expect(entries.map(\.act.name) == names, "\(filter)")
      #expect(entries.allSatisfy { $0.act.access == .key })
    }
  }

  @Test("Texts that no database stores as they are leave a row: U+0000 is replaced, long texts are shortened")
  func unstorable() async throws {
    struct Long: Error, CustomStringConvertible { let description = "a\0b" + String(repeating: "c", count: 5000) }
    let store = try await TestStore()
    await #expect(throws: Long.self) { try await store.act { throw Long() } }
    let error = try #require(try await store.audit().first?.error)
    #expect(error.hasPrefix("a\u{FFFD}bcc") && error.count == 2000)
  }

  @Test("A removed account's rows get the id that has its orders, and so do the errors of all rows")
  func removedAccount() async throws {
    try await TestStore().shop { shopper in
      let (store, account) = (shopper.store, shopper.accountID)
      let order = try await shopper.buy("coins")
      let failure = AccountFailure(description: "the account \(account) owns it")
      for subject in [account, order.id.description] {
        let act = AuditedAct("grant", of: subject, by: "anna", via: .command)
        await #expect(throws: AccountFailure.self) {
          try await act.perform(with: store.core.dependencies.base) { throw failure }
        }
      }
      try await store.core.accounts.remove(try #require(AccountID(account)))
      let row = try await store.core.dependencies.database.read {
        try $0.row("SELECT account_id FROM orders WHERE id = $1", [.text(order.id.description)])
      }
      let other = try #require(try row?.text("account_id"))
      let entries = try await store.audit()
      #expect(other != account && Set(entries.map(\.act.subject)) == [other, order.id.description])
      #expect(entries.map(\.error) == ["the account \(other) owns it", "the account \(other) owns it"])
    }
  }

  private struct AccountFailure: Error, CustomStringConvertible { let description: String }
}

extension TestStore {
  /// Performs the suite's act.
  fileprivate func act(_ body: () async throws -> Void) async throws {
    try await AuditTests.act.perform(with: core.dependencies.base, body)
  }

  /// Changes a setting in a transaction of its own.
  fileprivate func note(_ text: String) async throws {
    try await core.dependencies.database.write(at: clock.now()) {
      try StoreSettings(connection: $0).set("note", to: text)
    }
  }

  fileprivate func note() async throws -> String? {
    try await core.dependencies.database.read { try StoreSettings(connection: $0).value("note") }
  }

  fileprivate func audit(_ filter: AuditFilter = AuditFilter()) async throws -> [AuditEntry] {
    try await core.dependencies.database.read { try AuditRecords.newest(filter, in: $0) }
  }
}
