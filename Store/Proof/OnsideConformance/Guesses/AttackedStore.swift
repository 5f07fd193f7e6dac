import ConformanceTable
import Foundation
import Logging
import OnsideStore
import StoreAccounts
import StoreBase
import StoreTestSupport
import StoreWeb
import Synchronization

/// The login service of a store on a clock that the attack moves. In column P two stores of one database take its steps
/// by turns.
final class AttackedStore: Sendable {
  let clock = AttackClock()
  private let folder: TemporaryFolder
  private let database: CaseDatabase
  private let cores: [StoreCore]
  private let turns: Mutex<Turns<StoreCore>>
  private let phones = Phones()

  init(limits: CodeLimits) async throws {
    // In memory where the system has such a folder: the database need not survive a power cut.
    folder = try TemporaryFolder(in: URL(filePath: "/dev/shm"))
    database = Column.current == .postgres ? try await .makePostgres() : .sqlite(file: folder.file("store.db"))
    var configuration = StoreConfiguration()
    configuration.codeLimits = limits
    var cores: [StoreCore] = []
    for _ in 0..<Column.current.stores {
      let dependencies = StoreDependencies(
        clock: clock, database: try await database.open(now: clock.now()),
        logger: Logger(label: "attack") { _ in SwiftLogNoOpLogHandler() }, configuration: configuration, sender: phones)
      cores.append(try await StoreCore(dependencies))
    }
    self.cores = cores
    turns = Mutex(Turns(cores))
  }

  /// The store whose turn it is.
  private func nextStore() -> StoreCore { turns.withLock { $0.next() } ?? cores[0] }

  /// Requests a code from a new browser and a new network; nil when none was sent.
  func ask(number: Int, from source: Int) async throws -> LoginAttempt? {
    let browser = "browser-\(source)"
    let attempt = try await nextStore().logins.begin(.web(next: "/"), browser: browser, language: .english)
    // Scattered numbers, from many ranges.
    let phone = try PhoneNumber(parsing: "+316" + String(format: "%08d", number * 7_368_787 % 100_000_000))
    let outcome = try await nextStore().logins.sendCode(
      attempt, to: .phone(phone), source: CodeSource(device: browser, network: "network-\(source)"))
    guard outcome == .sent else { return nil }
    return try await nextStore().logins.attempt(attempt.id, browser: browser)
  }

  /// Enters a code; true when it was right.
  func guess(_ code: String, for attempt: LoginAttempt) async throws -> Bool {
    switch try await nextStore().logins.enter(code, for: attempt) {
    case .code, .over, .loggedOut, .added, .taken: false
    case .region, .choice, .done: true
    }
  }

  /// The number of guesses that were compared with a valid code, as the database counts them.
  func tries() async throws -> Int {
    let row = try await nextStore().dependencies.database.read {
      try $0.row("SELECT CAST(COALESCE(SUM(tries), 0) AS BIGINT) AS tries FROM one_time_codes")
    }
    return Int(try row?.integer("tries") ?? 0)
  }

  /// Whether the owner of the number can log in with the code of the message, a day after the attack.
  func ownerLogsIn() async throws -> Bool {
    clock.move(to: 2 * Double(GuessingAttack.day) + 3600)
    guard let attempt = try await ask(number: 0, from: -1) else { return false }
    await nextStore().messages.deliverDue()
    return try await guess(try await phones.code(to: "+31600000000"), for: attempt)
  }

  func close() async throws {
    for core in cores { await core.dependencies.database.close() }
    try await database.remove()
  }
}

/// A clock that stands still until it is moved.
final class AttackClock: StoreClock {
  private let elapsed = Mutex(0.0)

  func move(to seconds: Double) { elapsed.withLock { $0 = seconds } }
  func now() -> Date { Date(timeIntervalSince1970: 1_780_000_000 + elapsed.withLock { $0 }) }
  func uptime() -> Duration { .seconds(elapsed.withLock { $0 }) }
  func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
