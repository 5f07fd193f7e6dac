import DeterministicRandom
import Foundation
import Logging
import Testing

@testable import OnsideKit
@testable import OnsideSimulation

/// The simulated disk is no kinder than a real one.
@Suite("Simulated disk", .timeLimit(.minutes(5)))
struct DiskTests {
  private func content(flushing: Bool, seed: UInt64) -> DiskContent {
    var random = SeededRandom(seed: seed)
    var content = DiskContent()
    content.write(Data("old".utf8), to: "/d/a")
    content.flush("/d")
    content.write(Data("new".utf8), to: "/d/a.tmp")
    content.rename("/d/a.tmp", to: "/d/a")
    if flushing { content.flush("/d") }
    content.losePower(&random)
    return content
  }

  @Test("what was flushed survives a power cut", arguments: 0..<20)
  func flushed(seed: UInt64) {
    #expect(content(flushing: true, seed: seed).files == ["/d/a": Data("new".utf8)])
  }

  @Test("what was not flushed is the old or the new after a power cut, and both happen")
  func unflushed() {
    let outcomes = Set((0..<60).map { content(flushing: false, seed: UInt64($0)).files["/d/a"] })
    #expect(outcomes == [Data("old".utf8), Data("new".utf8)])
  }

  @Test("a write that was not flushed may be torn")
  func torn() {
    let lengths = (0..<100).map { seed -> Int? in
      var random = SeededRandom(seed: UInt64(seed))
      var content = DiskContent()
      content.write(Data(count: 10), to: "/d/a")
      content.losePower(&random)
      return content.files["/d/a"]?.count
    }
    #expect(lengths.contains(nil))
    #expect(lengths.contains(10))
    #expect(lengths.contains { $0.map { (1..<10).contains($0) } ?? false })
  }

  @Test("a killed process changes nothing any more, and its lock is free")
  func dead() throws {
    let disk = SimulatedDisk(seed: 1, brokenRule: nil)
    let first = disk.mount()
    let lock = try first.lock("/d/lock")
    try first.write(Data("kept".utf8), to: "/d/a")
    disk.die(.kill)
    #expect(throws: SimulatedDisk.Failure.self) { try first.write(Data(), to: "/d/a") }
    let second = disk.mount()
    let stored = try second.read("/d/a")
    #expect(stored == Data("kept".utf8))
    let another = try second.lock("/d/lock")
    #expect(throws: FileLock.Busy.self) { try second.lock("/d/lock") }
    withExtendedLifetime((lock, another)) {}
  }

  @Test("QUE-8: what a launch has read stays, also when a power cut follows the kill before it", arguments: 0..<40)
  func readIsFlushed(seed: UInt64) async throws {
    let disk = SimulatedDisk(seed: seed, brokenRule: nil)
    let folder = URL(filePath: "/d", directoryHint: .isDirectory)
    let file = "/d/transactions/00000000-0000-0000-0000-000000000001.json"
    try disk.mount().write(Data("{}".utf8), to: file)
    disk.die(.kill)
    let journal = TransactionJournal(
      storageFolder: folder, files: disk.mount(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    _ = try await journal.load()
    disk.die(.powerCut)
    let names = try disk.mount().names(in: "/d/transactions")
    #expect(names.count == 1, "the file is there, if only set aside as damaged")
  }
}
