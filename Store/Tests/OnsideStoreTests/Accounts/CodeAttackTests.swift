import Foundation
import StoreBaseTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

/// What attackers do to codes, in numbers, at the login service itself.
@Suite("Attacks on codes", .timeLimit(.minutes(5)))
struct CodeAttackTests {
  private static let number = "+31612345689"

  /// Begins a login from a browser and a network of its own and asks for a code; nil when none is sent.
  private static func ask(_ store: LoginStore, for phone: String, from source: Int) async throws -> LoginAttempt? {
    let logins = store.logins
    let browser = "browser-\(source)"
    let attempt = try await logins.begin(.web(next: "/"), browser: browser, language: .english)
    let outcome = try await logins.sendCode(
      attempt, to: .phone(try PhoneNumber(parsing: phone)),
      source: CodeSource(device: browser, network: "network-\(source)"))
    guard outcome == .sent else { return nil }
    return try await logins.attempt(attempt.id, browser: browser)
  }

  /// Six digits that are not the code.
  private static func wrong(_ code: String, number: Int) -> String {
    let guess = String(format: "%06d", number)
    return guess == code ? "999999" : guess
  }

  @Test("ACC-11: half an hour of wrong codes for one number, in parallel and from many addresses, compares few of them")
  func failuresPerNumber() async throws {
    var limits = CodeLimits()
    (limits.perNumber, limits.perNumberDaily, limits.perRange, limits.resendDelay) = (1000, 1000, 1000, 1)
    let store = try await LoginStore(limits: limits)
    let logins = store.logins
    for source in 0..<60 {
      store.store.clock.advance(by: .seconds(32))
      guard let attempt = try await Self.ask(store, for: Self.number, from: source) else { continue }
      let code = try await store.code(Self.number)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for guess in 0..<8 {
          group.addTask { _ = try await logins.enter(Self.wrong(code, number: guess), for: attempt) }
        }
        try await group.waitForAll()
      }
    }
    let tries = try await store.store.core.dependencies.database.read {
      try $0.row("SELECT CAST(SUM(tries) AS BIGINT) AS tries FROM one_time_codes")?.integer("tries")
    }
    print("ACC-11: \(60 * 8) wrong codes for one number within 32 minutes: \(tries ?? 0) compared, at most 16")
    #expect((10...16).contains(tries ?? 0))
    let metrics = store.store.core.dependencies.metrics.text()
    #expect(metrics.contains("onside_codes_refused_total{limit=\"failures\"}"))
  }

  @Test("ACC-11: while a number waits not even a right code is taken; after Retry-After everything works again")
  func failuresEnd() async throws {
    var limits = CodeLimits()
    limits.failures = 5
    let store = try await LoginStore(limits: limits)
    let logins = store.logins
    let first = try #require(try await Self.ask(store, for: Self.number, from: 1))
    let code = try await store.code(Self.number)
    store.store.clock.advance(by: .seconds(60))
    let second = try #require(try await Self.ask(store, for: Self.number, from: 2))
    let other = try await store.code(Self.number)
    for guess in 0..<5 { _ = try await logins.enter(Self.wrong(code, number: guess), for: first) }
    guard case .code(.limited(let reached)) = try await logins.enter(other, for: second) else {
      Issue.record("expected the right code to be refused")
      return
    }
    #expect(reached.limit == .failures && reached.seconds == 30)
    let answer = try await Self.ask(store, for: Self.number, from: 3)
    #expect(answer == nil)
    store.store.clock.advance(by: .seconds(reached.seconds))
    let outcome = try await logins.enter(other, for: second)
    #expect(outcome == .region)
  }

  @Test("ACC-11: a code proves its number in its own login only")
  func otherLogin() async throws {
    let store = try await LoginStore()
    let mine = try #require(try await Self.ask(store, for: Self.number, from: 1))
    let code = try await store.code(Self.number)
    store.store.clock.advance(by: .seconds(60))
    let theirs = try #require(try await Self.ask(store, for: Self.number, from: 2))
    let other = try await store.code(Self.number)
    if code != other {
      let actualOutcome = try await store.logins.enter(code, for: theirs)
      #expect(actualOutcome == .code(.wrong))
    }
    let outcome = try await store.logins.enter(code, for: mine)
    #expect(outcome == .region)
    let secondOutcome = try await store.logins.enter(code, for: mine)
    #expect(secondOutcome == .code(.spent))
  }

  @Test("ACC-12: a try makes the database do the same work whether there is a code, and whatever became of it")
  func sameWork() async throws {
    let store = try await LoginStore()
    let clock = store.store.clock
    let attempt = try #require(try await Self.ask(store, for: Self.number, from: 1))
    let code = try await store.code(Self.number)
    let codeGenerator = store.logins.codeGenerator
    let work = Mutex<[CodeOutcome: [String]]>([:])
    func enter(_ typed: String, id: String, phone: String, limits: CodeLimits = CodeLimits()) async throws {
      let now = clock.now()
      try await store.store.core.dependencies.database.write { connection in
        let recording = RecordingConnection(connection)
        let outcome = try CodeRecords.check(
          attempt: id, contact: phone, typed: typed, codeGenerator: codeGenerator, limits: limits,
          in: StoreTransaction(recording, at: now)
        ).outcome
        work.withLock { $0[outcome] = recording.statements }
      }
    }
    try await enter(Self.wrong(code, number: 0), id: attempt.id, phone: Self.number)
    try await enter(Self.wrong(code, number: 1), id: "unknown", phone: Self.number)
    var none = CodeLimits()
    none.failures = 1
    try await enter(code, id: attempt.id, phone: Self.number, limits: none)
    try await enter(code, id: attempt.id, phone: Self.number)
    let late = try #require(try await Self.ask(store, for: "+31612340000", from: 2))
    clock.advance(by: .seconds(600))
    try await enter(Self.wrong(code, number: 0), id: late.id, phone: "+31612340000")
    let statements = work.withLock { $0 }
    #expect(statements.count == 5, "wrong, spent, limited, right, expired")
    #expect(Set(statements.values).count == 1)
    #expect(statements.values.map(\.count).max() == 4)
  }

  @Test("ACC-12: 10,000 requests with rotating numbers and addresses cost no more than the limits, and are counted")
  func tollFraud() async throws {
    let store = try await LoginStore()
    let limits = CodeLimits()
    // The first half asks for numbers of forty ranges again and again, the second for one number of each range.
    func number(_ request: Int) -> String {
      request < 5000
        ? "+3161" + String(format: "%04d%03d", request % 40, request / 40 % 12)
        : "+3162" + String(format: "%04d000", request % 5000)
    }
    for volley in 0..<100 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for request in volley * 100..<(volley + 1) * 100 {
          group.addTask { _ = try await Self.ask(store, for: number(request), from: request) }
        }
        try await group.waitForAll()
      }
      store.store.clock.advance(by: .seconds(35))
    }
    await store.messages.deliverDue()
    let sent = try await store.store.core.dependencies.database.read {
      try $0.rows("SELECT phone, number_range FROM one_time_codes").map {
        (phone: try $0.text("phone"), range: try $0.text("number_range"))
      }
    }
    let perNumber = Dictionary(grouping: sent, by: \.phone).values.map(\.count).max() ?? 0
    let perRange = Dictionary(grouping: sent, by: \.range).values.map(\.count).max() ?? 0
    print(
      """
      ACC-12: 10000 requests within an hour: \(sent.count) codes, at most \(limits.perCountry); \
      \(perNumber) for one number, at most \(limits.perNumber); \(perRange) for one range, at most \(limits.perRange)
      """)
    #expect(sent.count == limits.perCountry)
    #expect(perNumber <= limits.perNumber && perRange <= limits.perRange)
    #expect(store.inbox.messages.count <= sent.count)
    #expect(store.store.core.dependencies.metrics.text().contains("onside_codes_sent_total \(sent.count)\n"))
  }
}

/// Notes the statements that go to a connection.
private final class RecordingConnection: SQLConnection {
  private let connection: any SQLConnection
  private(set) var statements: [String] = []

  init(_ connection: any SQLConnection) { self.connection = connection }

  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    statements.append(sql)
    return try connection.execute(sql, arguments)
  }

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    statements.append(sql)
    return try connection.rows(sql, arguments)
  }

  func tableNames() throws(StorageError) -> [String] { try connection.tableNames() }

  func databaseIdentity() throws(StorageError) -> String? { try connection.databaseIdentity() }
}
