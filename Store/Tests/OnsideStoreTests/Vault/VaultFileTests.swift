import Foundation
import OnsideAPI
import OnsideVault
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreVault

/// What the vault leaves in files, and what it notices of them.
@Suite(.timeLimit(.minutes(5))) final class VaultFileTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock()
  /// How many stores were started: each makes random marks of its own.
  private let starts = Atomic<UInt64>(0)

  init() throws { folder = try TemporaryFolder() }

  private func store(guardPath: String? = nil) async throws -> TestStore {
    let path = guardPath ?? folder.file("vault-guard")
    let seed = starts.add(1, ordering: .relaxed).newValue
    return try await TestStore(in: folder, clock: clock, seed: seed) {
      $0.vault.guardPath = path
      // The clock stands still.
      $0.vault.newGuardPatience = .zero
    }
  }

  /// Where some bytes are, in all files of the database.
  private func files(holding bytes: [UInt8]) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("store.db") }
      .filter { try Data(contentsOf: URL(filePath: folder.file($0))).range(of: Data(bytes)) != nil }.sorted()
  }

  @Test(
    "WAL-6, WAL-7: a deleted key is gone from every file of a SQLite database after the next look of the maintenance",
    arguments: ["ten tries", "change of PIN", "destroyed", "unconfirmed"])
  func deletedKeys(way: String) async throws {
    let file = try SQLiteDatabase.open(at: folder.file("store.db"), now: clock.now())
    let store = try await TestStore(in: folder, clock: clock, database: file)
    let wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    let doomed = way == "unconfirmed" ? wallet.with(seed: 2) : wallet
    if way == "unconfirmed" { try await doomed.enrol() }
    try await store.core.vault.maintain()
    let database = store.core.dependencies.database
    let key = try #require(
      try await database.read { try VaultRecords.record(doomed.enrolment, in: $0)?.key?.bytes })
    let actualFiles = try files(holding: key)
    #expect(actualFiles == ["store.db"], "the search finds a key that is there")

    switch way {
    case "ten tries":
      for _ in 0..<10 {
        try await wallet.evaluate("0000")
        clock.advance(by: .seconds(8 * 3600))
      }
    case "change of PIN":
      try await wallet.with(seed: 2).enrol(replacing: wallet.enrolment)
      try await wallet.with(seed: 2).seal()
      try await wallet.with(seed: 2).confirm()
    case "destroyed": try await wallet.destroy()
    default: clock.advance(by: .seconds(86_400))
    }
    let secondFiles = try files(holding: key)
    #expect(secondFiles != [])
    try await store.core.vault.maintain()
    let thirdFiles = try files(holding: key)
    #expect(thirdFiles == [])
  }

  @Test("WAL-6: a database that was put back is noticed: one try, which deletes the key, and a new enrolment")
  func backup() async throws {
    var store = try await store()
    let outcome = try await store.core.vault.lossGuard.begin()
    #expect(outcome == nil)
    var wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    let right = try await wallet.evaluate("1234")
    try await wallet.confirm()
    // All of it is in the one file that is copied.
    try await store.core.vault.maintain()
    await store.core.dependencies.database.close()
    let copy = try await TestDatabase.copy(of: folder)

    store = try await self.store()
    let secondOutcome = try await store.core.vault.lossGuard.begin()
    #expect(secondOutcome == nil)
    wallet = wallet.with(store.core)
    for _ in 0..<9 {
      try await wallet.evaluate("0000")
      clock.advance(by: .seconds(8 * 3600))
    }
    await store.core.dependencies.database.close()
    try TestDatabase.putBack(copy, in: folder)

    store = try await self.store()
    let isVaultCurrent = try await store.core.isVaultCurrent()
    #expect(isVaultCurrent == false)
    let thirdOutcome = try await store.core.vault.lossGuard.begin()
    #expect(thirdOutcome == 1)
    #expect(try await store.core.isVaultCurrent())
    wallet = wallet.with(store.core)
    let state = try await wallet.state()
    #expect(state.triesRemaining == 1 && state.enrolsAnew)
    let value = try await wallet.evaluate("1234")
    #expect(value == right)
    let actualProblem = await problem { try await wallet.evaluate("1234") }
    #expect(actualProblem == .vaultDestroyed)
    let anew = wallet.with(seed: 2)
    let epoch = try await anew.enrol(replacing: wallet.enrolment).epoch
    #expect(epoch == 2)
    try await anew.seal()
    let triesRemaining = try await anew.confirm().triesRemaining
    #expect(triesRemaining == 10)
  }

  @Test("WAL-6: one counted try is enough to tell a backup from the database that it is of")
  func youngBackup() async throws {
    var store = try await store()
    try await store.core.vault.lossGuard.begin()
    let wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    await store.core.dependencies.database.close()
    let copy = try await TestDatabase.copy(of: folder)
    store = try await self.store()
    try await wallet.with(store.core).evaluate("0000")
    await store.core.dependencies.database.close()
    try TestDatabase.putBack(copy, in: folder)
    store = try await self.store()
    let outcome = try await store.core.vault.lossGuard.begin()
    #expect(outcome == 1)
  }

  @Test("A missing guard file counts as a restored backup; so does another database's on SQLite, PostgreSQL refuses it")
  func missingGuard() async throws {
    let store = try await store()
    try await store.core.vault.lossGuard.begin()
    #expect(try await store.core.isVaultCurrent())
    let wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    let long = String(repeating: "garbage ", count: 100)
    for text in [nil, "", "onside-vault-guard-1 another 00000000000000000001\n", long] {
      try FileManager.default.removeItem(atPath: folder.file("vault-guard"))
      try text.map { try $0.write(toFile: folder.file("vault-guard"), atomically: true, encoding: .utf8) }
      guard !TestDatabase.isPostgres || text?.contains("another") != true else {
        await #expect(throws: VaultGuardRefusal.foreign(path: folder.file("vault-guard"))) {
          try await store.core.vault.lossGuard.begin()
        }
        continue
      }
      let isVaultCurrent = try await store.core.isVaultCurrent()
      #expect(isVaultCurrent == false)
      let outcome = try await store.core.vault.lossGuard.begin()
      #expect(outcome == 1)
      #expect(try await store.core.isVaultCurrent())
    }
  }

  @Test("A new SQLite database beside an old guard file has lost nothing", .onSQLite("PostgreSQL refuses the file"))
  func newDatabase() async throws {
    try await store().core.vault.lossGuard.begin()
    let fresh = try await TestStore(clock: clock) { $0.vault.guardPath = folder.file("vault-guard") }
    let outcome = try await fresh.core.vault.lossGuard.begin()
    #expect(outcome == nil)
  }

  @Test("A process that has read an older mark puts nothing of it in the place of a newer one")
  func newerMark() throws {
    let file = VaultGuardFile(path: folder.file("guard"))
    let old = VaultGeneration(mark: "old", number: 1, seen: 1, database: "d")
    let new = VaultGeneration(mark: "new", number: 3, seen: 3, database: "d")
    let outcome = try file.raise(to: old, from: nil)
    #expect(outcome == old)
    let secondOutcome = try file.raise(to: new, from: old)
    #expect(secondOutcome == new)
    let note = try file.note(VaultGeneration(mark: "old", number: 1, seen: 9, database: "d"))
    #expect(note == new)
    let value = try file.read()
    #expect(value == new)
    // A change that was committed with a mark of its own counts as seen.
    let late = VaultGeneration(mark: "late", number: 4, seen: 4, database: "d")
    let thirdOutcome = try file.raise(to: late, from: old)
    #expect(thirdOutcome == VaultGeneration(mark: "new", number: 3, seen: 4, database: "d"))
    let foreign = VaultGeneration(mark: "m", number: 9, seen: 9, database: "e")
    #expect(throws: VaultGuardRefusal.foreign(path: file.path)) { try file.raise(to: foreign, from: nil) }
    let actualMark = try file.read()?.mark
    #expect(actualMark == "new")
  }

  @Test(
    "WAL-6: a guard file that cannot be read is an error and costs no wallet its tries", arguments: ["folder", "loop"])
  func unreadableGuard(kind: String) async throws {
    let store = try await store()
    let vault = store.core.vault
    try await vault.lossGuard.begin()
    let wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    let (path, kept) = (folder.file("vault-guard"), folder.file("kept"))
    try FileManager.default.moveItem(atPath: path, toPath: kept)
    switch kind {
    // Rights do not keep root from reading: what can be opened and not read, and what cannot be opened.
    case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    }
    await #expect(throws: VaultGuardUnreadable.self) { try await store.core.isVaultCurrent() }
    await #expect(throws: VaultGuardUnreadable.self) { try await vault.lossGuard.begin() }
    let actualProblem = await problem { _ = try await wallet.state() }
    #expect(actualProblem == .storageUnavailable)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: kept, toPath: path)
    let outcome = try await vault.lossGuard.begin()
    #expect(outcome == nil)
    let enrolsAnew = try await wallet.state().enrolsAnew
    #expect(enrolsAnew == false)
  }

  @Test("WAL-6: when the guard file cannot be written, nothing is evaluated; the try is lost, and no more")
  func fullDisk() async throws {
    let wallet = WalletDevice(store: try await store().core, seed: 1)
    try await wallet.signUp()
    let full = wallet.with(try await store(guardPath: "/dev/full").core)
    let actualProblem = await problem { try await full.evaluate() }
    #expect(actualProblem == .storageFull)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 9)
  }

  @Test("Raised from many sides at the same time, the guard file ends with the newest generation")
  func guardFile() async throws {
    let file = VaultGuardFile(path: folder.file("guard"))
    let again = VaultGuardFile(path: folder.file("guard"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...500 {
        let one = number % 2 == 0 ? file : again
        group.addTask { try one.raise(to: VaultGeneration(mark: "m", number: Int64(number))) }
      }
      try await group.waitForAll()
    }
    let value = try file.read()
    #expect(value == VaultGeneration(mark: "m", number: 500))
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}
