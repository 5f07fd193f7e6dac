import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@Suite("The journal of transactions", .timeLimit(.minutes(5)))
final class TransactionJournalTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
  private let logs = LogRecorder()
  private var journal: TransactionJournal {
    TransactionJournal(storageFolder: folder, logger: logs.logger)
  }
  private var transactions: URL { folder.appendingPathComponent("transactions") }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func entry(_ number: UInt8) throws -> QueueEntry {
    QueueEntry(
      try .paid(QueueHarness.uuid(number)), account: QueueHarness.alice.accountID, state: .purchased, reason: .new)
  }

  @Test("What is written is read, by account, oldest first")
  func roundTrip() async throws {
    var tombstone = try entry(3)
    tombstone.isFinished = true
    tombstone.owesFinish = true
    try await journal.write([try entry(2), try entry(1), tombstone])
    try await journal.saveCursor("42", for: QueueHarness.alice.accountID)
    let book = try #require(try await journal.load()[QueueHarness.alice.accountID])
    #expect(book.visible == [QueueHarness.uuid(1), QueueHarness.uuid(2)])
    #expect(book.owed == [QueueHarness.uuid(3)])
    #expect(book.cursor == "42")
    let expected = try entry(1)
    #expect(book[QueueHarness.uuid(1)] == expected)
  }

  @Test("Files and folders are for their owner only")
  func permissions() async throws {
    try await journal.write([try entry(1)])
    let file = transactions.appendingPathComponent("\(OrderID(QueueHarness.uuid(1))).json").path
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    let folderMode = try FileManager.default.attributesOfItem(atPath: transactions.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(folderMode == 0o700)
  }

  @Test("Erased transactions are gone, and erasing twice is fine")
  func erase() async throws {
    try await journal.write([try entry(1), try entry(2)])
    try await journal.erase([QueueHarness.uuid(1)])
    try await journal.erase([QueueHarness.uuid(1)])
    let visible = try await journal.load()[QueueHarness.alice.accountID]?.visible
    #expect(visible == [QueueHarness.uuid(2)])
  }

  @Test(
    "Torn and foreign files are set aside, half-written ones deleted; it is logged once, and the others are read",
    arguments: 0..<40)
  func damage(seed: UInt64) async throws {
    try await journal.write([try entry(1), try entry(2)])
    try await journal.saveCursor("42", for: QueueHarness.alice.accountID)
    var random = SeededRandom(seed: seed)
    let file = transactions.appendingPathComponent("\(OrderID(QueueHarness.uuid(1))).json")
    let whole = try Data(contentsOf: file)
    try whole.prefix(Int.random(in: 0..<whole.count, using: &random)).write(to: file)
    try Data("?".utf8).write(to: transactions.appendingPathComponent("stranger.txt"))
    try Data("{".utf8).write(to: transactions.appendingPathComponent("x.json.tmp"))
    let book = try #require(try await journal.load()[QueueHarness.alice.accountID])
    #expect(book.visible == [QueueHarness.uuid(2)])
    #expect(book.cursor == nil, "the store is asked for everything again, since it may know the lost one")
    #expect(logs.warnings.count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: transactions.path)
    #expect(names.count { $0.hasSuffix(".damaged") } == 2)
    #expect(names.count == 3)
    let visible = try await journal.load()[QueueHarness.alice.accountID]?.visible
    #expect(visible == [QueueHarness.uuid(2)])
    #expect(logs.warnings.count == 1)
  }

  @Test("A file under another transaction's name is set aside")
  func wrongName() async throws {
    try await journal.write([try entry(1)])
    try FileManager.default.moveItem(
      at: transactions.appendingPathComponent("\(OrderID(QueueHarness.uuid(1))).json"),
      to: transactions.appendingPathComponent("\(OrderID(QueueHarness.uuid(2))).json"))
    #expect(try await journal.load().isEmpty)
  }

  @Test("More transactions than one task reads are read, in order")
  func many() async throws {
    let entries = try (0..<600).map { number in
      QueueEntry(
        try .paid(.version7(at: FakeRules.date + Double(number), random: SeededBytes.ids.next(10))),
        account: QueueHarness.alice.accountID, state: .purchased, reason: .new)
    }
    try await journal.write(entries)
    let visible = try await journal.load()[QueueHarness.alice.accountID]?.visible
    #expect(visible == entries.map(\.id))
  }
}
