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

/// Machines that share a database, each with a guard file of its own. What the server loses is simulated by databases
/// that were copied before, and that the machines' stores are switched to while they run.
@Suite("WAL-6: the vault of several machines on one PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresVaultTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock()
  private let server: PostgresServer
  /// Each start of a store has randomness of its own: a repeated seed would repeat the marks of guards.
  private let seeds = Seeds()

  init() async throws {
    folder = try TemporaryFolder()
    server = try await SharedPostgresServer.server
  }

  /// A running store: its database can be switched to another one.
  private struct Machine {
    let core: StoreCore
    let database: SwitchedDatabase

    func close() async { await database.close() }
  }

  private func open(_ database: String) async throws -> PostgresDatabase {
    try await PostgresTestDatabase(database).open(Migration.all)
  }

  /// A store that has not begun.
  private func machine(_ name: String, on database: String) async throws -> Machine {
    let switched = SwitchedDatabase(try await open(database))
    let store = try await TestStore(clock: clock, seed: seeds.next(), database: switched) {
      $0.vault.guardPath = folder.file("guard-\(name)")
      $0.vault.newGuardPatience = .zero
    }
    return Machine(core: store.core, database: switched)
  }

  /// A store that has begun, and has lost nothing.
  private func begun(_ name: String, on database: String) async throws -> Machine {
    let machine = try await machine(name, on: database)
    let outcome = try await machine.core.vault.lossGuard.begin()
    #expect(outcome == nil)
    return machine
  }

  /// A store that has begun on a machine without a guard file, while another one runs.
  private func joined(_ name: String, on database: String, beside other: Machine) async throws -> Machine {
    let switched = SwitchedDatabase(try await open(database))
    let store = try await TestStore(clock: clock, seed: seeds.next(), database: switched) {
      $0.vault.guardPath = folder.file("guard-\(name)")
    }
    let actualAnswered = try await answered(by: other) { try await store.core.vault.lossGuard.begin() }
    #expect(actualAnswered == nil)
    return Machine(core: store.core, database: switched)
  }

  /// Runs what asks a running machine, while time passes for both.
  private func answered<T: Sendable>(
    by other: Machine, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let hasEnded = Mutex(false)
    async let result = {
      defer { hasEnded.withLock { $0 = true } }
      return try await body()
    }()
    let deadline = NamedDeadline("a guard to be answered")
    while !hasEnded.withLock(\.self) {
      try await other.core.vault.lossGuard.watch()
      clock.advance(by: .milliseconds(500))
      try await deadline.next()
    }
    return try await result
  }

  /// A database with one wallet, which the machine `a` has enrolled, and copies of it.
  private func enrolled(copies: Int) async throws -> (database: String, copies: [String], wallet: WalletDevice) {
    let database = try await server.makeDatabase()
    let a = try await begun("a", on: database)
    let wallet = WalletDevice(store: a.core, seed: 1)
    try await wallet.signUp()
    await a.close()
    var names: [String] = []
    for _ in 0..<copies { names.append(try await server.makeDatabase(from: database)) }
    return (database, names, wallet)
  }

  /// A database with one wallet and two confirmed machines, `a` and `b`, and a copy of it.
  private func pair() async throws -> (database: String, copy: String, wallet: WalletDevice) {
    let (database, _, wallet) = try await enrolled(copies: 0)
    let a = try await begun("a", on: database)
    let b = try await joined("b", on: database, beside: a)
    for machine in [a, b] { await machine.close() }
    return (database, try await server.makeDatabase(from: database), wallet)
  }

  @Test("a machine whose file lags behind the others' changes has lost nothing")
  func lagging() async throws {
    let (database, _, wallet) = try await enrolled(copies: 0)
    let a = try await begun("a", on: database)
    let b = try await joined("b", on: database, beside: a)
    for _ in 0..<3 { try await wallet.with(a.core).evaluate("0000") }
    await b.close()
    let later = try await begun("b", on: database)
    #expect(try await later.core.isVaultCurrent())
    let triesRemaining = try await wallet.with(later.core).state().triesRemaining
    #expect(triesRemaining == 7)
    for machine in [a, later] { await machine.close() }
  }

  @Test("a new machine waits for a running one, whose file agrees with the database, and costs no try")
  func newMachine() async throws {
    let (database, _, wallet) = try await enrolled(copies: 0)
    let a = try await begun("a", on: database)
    let b = try await joined("b", on: database, beside: a)
    let state = try await wallet.with(b.core).state()
    #expect(state.triesRemaining == 10 && !state.enrolsAnew)
    for machine in [a, b] { await machine.close() }
  }

  @Test("a new machine that no other one confirms takes the database for a restored one")
  func newMachineAlone() async throws {
    let (database, _, wallet) = try await enrolled(copies: 0)
    let b = try await machine("b", on: database)
    let isVaultCurrent = try await b.core.isVaultCurrent()
    #expect(isVaultCurrent == false)
    let outcome = try await b.core.vault.lossGuard.begin()
    #expect(outcome == 1)
    #expect(try await b.core.isVaultCurrent())
    let triesRemaining = try await wallet.with(b.core).state().triesRemaining
    #expect(triesRemaining == 1)
    // What the other machine's file says is settled by that, with the word of the one that runs.
    let a = try await joined("a", on: database, beside: b)
    for machine in [a, b] { await machine.close() }
  }

  @Test("a running machine that has lost a try confirms none: it gives every wallet one try, and so the new machine")
  func noVouching() async throws {
    let (database, copies, wallet) = try await enrolled(copies: 1)
    let a = try await begun("a", on: database)
    try await wallet.with(a.core).evaluate("0000")
    try await a.database.switchTo(open(copies[0]))
    let b = try await joined("b", on: copies[0], beside: a)
    let triesRemaining = try await wallet.with(b.core).state().triesRemaining
    #expect(triesRemaining == 1)
    for machine in [a, b] { await machine.close() }
  }

  @Test("a lost try is noticed although the generation has grown beyond it since, and once for all machines")
  func overtaken() async throws {
    let (database, copy, wallet) = try await pair()
    for name in ["a", "b"] {
      let machine = try await begun(name, on: database)
      try await wallet.with(machine.core).evaluate("0000")
      await machine.close()
    }
    let grown = try await open(copy)
    for _ in 0..<20 { try await grown.write { _ = try VaultGenerationRecords.raise(in: $0) } }
    await grown.close()
    let a = try await machine("a", on: copy)
    let outcome = try await a.core.vault.lossGuard.begin()
    #expect(outcome == 1)
    let b = try await joined("b", on: copy, beside: a)
    let triesRemaining = try await wallet.with(b.core).state().triesRemaining
    #expect(triesRemaining == 1)
    for machine in [a, b] { await machine.close() }
  }

  @Test("a machine that has joined after the backup notices it")
  func joinedLater() async throws {
    let (database, copies, _) = try await enrolled(copies: 1)
    let a = try await begun("a", on: database)
    let b = try await joined("b", on: database, beside: a)
    for machine in [a, b] { await machine.close() }
    let later = try await machine("b", on: copies[0])
    let outcome = try await later.core.vault.lossGuard.begin()
    #expect(outcome == 1)
    await later.close()
  }

  @Test("a machine notices the loss of another one's try that it has only seen")
  func otherMachineGone() async throws {
    let (database, copy, wallet) = try await pair()
    let (a, idle) = (try await machine("a", on: database), try await machine("b", on: database))
    try await wallet.with(a.core).evaluate("0000")
    try await idle.core.vault.lossGuard.watch()
    for machine in [a, idle] { await machine.close() }
    let b = try await machine("b", on: copy)
    let isVaultCurrent = try await b.core.isVaultCurrent()
    #expect(isVaultCurrent == false)
    await b.close()
  }

  @Test("the server loses a try under a running store: the next request is not answered, then there is one try")
  func lostWhileRunning() async throws {
    let (database, copies, wallet) = try await enrolled(copies: 1)
    let a = try await begun("a", on: database)
    let device = wallet.with(a.core)
    for _ in 0..<3 { try await device.evaluate("0000") }
    try await a.database.switchTo(open(copies[0]))
    let actualProblem = await problem { try await device.evaluate("0000") }
    #expect(actualProblem == .storageUnavailable)
    let state = try await device.state()
    #expect(state.triesRemaining == 1 && state.enrolsAnew)
    try await device.evaluate("1234")
    let secondProblem = await problem { try await device.evaluate("1234") }
    #expect(secondProblem == .vaultDestroyed)
    await a.close()
  }

  @Test("an attacker who makes the server forget tries again and again gets at most one more for each time")
  func attack() async throws {
    let (database, copies, wallet) = try await enrolled(copies: 6)
    let a = try await begun("a", on: database)
    let b = try await joined("b", on: database, beside: a)
    var evaluated = 0
    for copy in [database] + copies {
      for machine in [a, b] { try await machine.database.switchTo(open(copy)) }
      for _ in 0..<10 {
        for machine in [b, a] where await problem({ try await wallet.with(machine.core).evaluate("0000") }) == nil {
          evaluated += 1
        }
      }
    }
    // Four before the first wait, and the one that each restored database gives.
    #expect((4...4 + copies.count).contains(evaluated))
    for machine in [a, b] { await machine.close() }
  }

  @Test("a guard file that is removed while the store runs is made again, and still shows what was lost")
  func removedFile() async throws {
    let (database, copies, wallet) = try await enrolled(copies: 1)
    let a = try await begun("a", on: database)
    try await wallet.with(a.core).evaluate("0000")
    try FileManager.default.removeItem(atPath: folder.file("guard-a"))
    try await wallet.with(a.core).evaluate("0000")
    #expect(try await a.core.isVaultCurrent())
    try FileManager.default.removeItem(atPath: folder.file("guard-a"))
    try await a.database.switchTo(open(copies[0]))
    let actualProblem = await problem { try await wallet.with(a.core).evaluate("0000") }
    #expect(actualProblem == .storageUnavailable)
    await a.close()
  }

  private func epoch(_ machine: Machine) async throws -> String {
    try await machine.database.read { try SyncEpoch.current(in: $0) }
  }

  @Test("QUE-16: lost commits begin another epoch of cursors: the numbers of lost changes are given out again")
  func epoch() async throws {
    let (database, copies, wallet) = try await enrolled(copies: 1)
    let a = try await begun("a", on: database)
    try await wallet.with(a.core).evaluate("0000")
    let before = try await epoch(a)
    try await a.core.vault.lossGuard.watch()
    let actualEpoch = try await epoch(a)
    #expect(actualEpoch == before)
    try await a.database.switchTo(open(copies[0]))
    let secondEpoch = try await epoch(a)
    #expect(secondEpoch == before)
    try await a.core.vault.lossGuard.watch()
    let thirdEpoch = try await epoch(a)
    #expect(thirdEpoch != before)
    await a.close()
  }

  @Test("a guard file of another database is refused and stays as it was, and that one's store goes on")
  func foreignFile() async throws {
    let (database, _, wallet) = try await enrolled(copies: 0)
    let (a, path) = (try await begun("a", on: database), folder.file("guard-a"))
    try await wallet.with(a.core).evaluate("0000")
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    let other = try await machine("a", on: server.makeDatabase())
    await #expect(throws: VaultGuardRefusal.foreign(path: path)) { try await other.core.vault.lossGuard.begin() }
    await #expect(throws: VaultGuardRefusal.foreign(path: path)) { try await other.core.isVaultCurrent() }
    let actualProblem = await problem { try await WalletDevice(store: other.core, seed: 2).enrol() }
    #expect(actualProblem == .storageUnavailable)
    let string = try String(contentsOfFile: path, encoding: .utf8)
    #expect(string == kept)
    try await a.core.vault.lossGuard.watch()
    let triesRemaining = try await wallet.with(a.core).state().triesRemaining
    #expect(triesRemaining == 9)
    for machine in [a, other] { await machine.close() }
  }

  @Test("a machine that was off while another one found a loss needs that one's word, or takes the next loss for one")
  func staleFile() async throws {
    let (database, copy, wallet) = try await pair()
    let lost = try await begun("a", on: database)
    try await wallet.with(lost.core).evaluate("0000")
    await lost.close()
    let a = try await machine("a", on: copy)
    let outcome = try await a.core.vault.lossGuard.begin()
    #expect(outcome == 1)
    try await wallet.with(a.core, seed: 2).signUp()
    await a.close()
    let later = try await server.makeDatabase(from: copy)
    let running = try await begun("a", on: copy)
    let file = try String(contentsOfFile: folder.file("guard-b"), encoding: .utf8)
    await (try await joined("b", on: copy, beside: running)).close()
    try await wallet.with(running.core, seed: 2).evaluate("0000")
    await running.close()

    // The database is put back once more, with the try lost, and a does not come back.
    try file.write(toFile: folder.file("guard-b"), atomically: true, encoding: .utf8)
    let b = try await machine("b", on: later)
    let isVaultCurrent = try await b.core.isVaultCurrent()
    #expect(isVaultCurrent == false)
    let secondOutcome = try await b.core.vault.lossGuard.begin()
    #expect(secondOutcome == 2)
    let triesRemaining = try await wallet.with(b.core, seed: 2).state().triesRemaining
    #expect(triesRemaining == 1)
    await b.close()
  }

  @Test("a running machine whose guard is superseded answers nothing until the other one has vouched for it")
  func supersededWhileRunning() async throws {
    let (database, copy, wallet) = try await pair()
    let a = try await begun("a", on: database)
    let b = try await joined("b", on: database, beside: a)
    try await wallet.with(a.core).evaluate("0000")
    try await a.database.switchTo(open(copy))
    try await a.core.vault.lossGuard.watch()
    try await b.database.switchTo(open(copy))
    let actualProblem = await problem { try await wallet.with(b.core).evaluate("0000") }
    #expect(actualProblem == .storageUnavailable)
    try await answered(by: a) { try await b.core.vault.lossGuard.watch() }
    let triesRemaining = try await wallet.with(b.core).state().triesRemaining
    #expect(triesRemaining == 1)
    for machine in [a, b] { await machine.close() }
  }

  @Test("the file that a database had before it was moved is taken once, also when its place could not be written")
  func fileOfSQLite() async throws {
    let (database, _, wallet) = try await enrolled(copies: 0)
    let moved = try await open(database)
    let generation = try await moved.write { connection in
      try connection.execute("DELETE FROM vault_guards")
      return try VaultGenerationRecords.current(in: connection)
    }
    await moved.close()
    let old = VaultGeneration(mark: try #require(generation).mark, number: try #require(generation).number)
    // Each time as if the store had ended before it wrote the file.
    for _ in 0..<3 {
      try? FileManager.default.removeItem(atPath: folder.file("guard-a"))
      try VaultGuardFile(path: folder.file("guard-a")).raise(to: old)
      await (try await begun("a", on: database)).close()
    }
    let a = try await begun("a", on: database)
    try await wallet.with(a.core).evaluate("0000")
    await a.close()
    try VaultGuardFile(path: folder.file("guard-c")).raise(to: old)
    let c = try await machine("c", on: database)
    let isVaultCurrent = try await c.core.isVaultCurrent()
    #expect(isVaultCurrent == false)
    let outcome = try await c.core.vault.lossGuard.begin()
    #expect(outcome == 1)
    await c.close()
  }

  @Test("of two processes with one file, one that still sees the old server does not undo the mark of the other")
  func twoProcesses() async throws {
    let (database, copy, wallet) = try await pair()
    let (a, b) = (try await begun("a", on: database), try await begun("b", on: database))
    let beside = try await begun("a", on: database)
    // What b changes, a notes in its file.
    try await wallet.with(b.core).evaluate("0000")
    try await beside.database.switchTo(open(copy))
    let file = VaultGuardFile(path: folder.file("guard-a"))
    let newer = Mutex<VaultGeneration?>(nil)
    a.database.beforeNextRead {
      try await beside.core.vault.lossGuard.watch()
      let kept = try file.read()
      newer.withLock { $0 = kept }
    }
    try await a.core.vault.lossGuard.watch()
    let value = try file.read()
    #expect(value == newer.withLock(\.self))
    #expect(try await beside.core.isVaultCurrent())
    for machine in [a, b, beside] { await machine.close() }
  }
}

/// Numbers, each once.
private final class Seeds: Sendable {
  private let last = Mutex<UInt64>(0)

  func next() -> UInt64 {
    last.withLock { last in
      last += 1
      return last
    }
  }
}

/// A database that a test replaces by another one, as a failover or a restored backup does.
private final class SwitchedDatabase: ForwardingDatabase {
  private let present: Mutex<any Database>
  private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

  init(_ database: any Database) { present = Mutex(database) }

  var base: any Database { present.withLock(\.self) }

  /// Runs something when the next read begins.
  func beforeNextRead(_ action: @escaping @Sendable () async throws -> Void) { hook.withLock { $0 = action } }

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    let action = hook.withLock { hook in
      defer { hook = nil }
      return hook
    }
    try await action?()
    return try await base.read(body)
  }

  /// Closes the one that was there.
  func switchTo(_ next: any Database) async {
    let former = present.withLock { present in
      defer { present = next }
      return present
    }
    await former.close()
  }
}
