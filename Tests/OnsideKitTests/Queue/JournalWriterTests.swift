import Foundation
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("The queue's disk", .timeLimit(.minutes(5)))
final class JournalWriterTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
  private let logs = LogRecorder()

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What a line reports after each job, in order.
  private func run(_ jobs: DiskJob..., on line: JournalWriter, heard: Heard) async -> [String] {
    let before = heard.events.count
    for job in jobs { line.add(job) }
    _ = await eventually { heard.events.count == before + jobs.count }
    return Array(heard.events[before...])
  }

  @MainActor
  private final class Heard {
    var events: [String] = []
    func hear(_ event: QueueEvent) {
      switch event {
      case .loaded(let books): events.append("loaded \(books.values.flatMap(\.visible).count)")
      case .loadFailed(let failures): events.append("load failed \(failures)")
      case .folderInUse: events.append("in use")
      case .enlisted(_, let onDisk): events.append(onDisk ? "stored" : "not stored")
      default: events.append("\(event)")
      }
    }
  }

  private func line(_ heard: Heard) -> JournalWriter {
    let journal = TransactionJournal(storageFolder: folder, logger: logs.logger)
    return JournalWriter(journal, logger: logs.logger) { heard.hear($0) }
  }

  private func write(_ number: UInt8) throws -> DiskJob {
    let id = QueueHarness.uuid(number)
    let entry = QueueEntry(try .paid(id), account: QueueHarness.alice.accountID, state: .purchased, reason: .new)
    return .write([entry], then: .enlisted(id, onDisk: true), otherwise: .enlisted(id, onDisk: false))
  }

  @Test("QUE-8: nothing is written before the disk could be read, so what is read is never older than what was written")
  func readFirst() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let obstacle = folder.appending(path: "transactions")
    try Data().write(to: obstacle)
    let heard = Heard()
    let line = line(heard)
    let result = await run(.load(failures: 0), try write(1), on: line, heard: heard)
    #expect(result == ["load failed 1", "not stored"])
    try FileManager.default.removeItem(at: obstacle)
    let secondResult = await run(try write(2), .load(failures: 1), try write(3), on: line, heard: heard)
    #expect(
      secondResult == [
        "not stored", "loaded 0", "stored",
      ])
    await line.finish()
  }

  @Test("QUE-8: a second queue on the same folder reads, writes and deletes nothing until the first one has ended")
  func secondQueue() async throws {
    let (one, two) = (Heard(), Heard())
    let first = line(one)
    let result = await run(.load(failures: 0), try write(1), on: first, heard: one)
    #expect(result == ["loaded 0", "stored"])
    let draft = folder.appending(path: "transactions/draft.json.tmp")
    try Data().write(to: draft)
    let second = line(two)
    let secondResult = await run(.load(failures: 0), try write(2), on: second, heard: two)
    #expect(secondResult == ["in use", "not stored"])
    #expect(FileManager.default.fileExists(atPath: draft.path()))
    await first.finish()
    let thirdResult = await run(.load(failures: 0), on: second, heard: two)
    #expect(thirdResult == ["loaded 1"])
    await second.finish()
  }
}
