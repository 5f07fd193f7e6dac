import Foundation
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("The move of a store to PostgreSQL", .timeLimit(.minutes(10)))
struct StoreMoveTests {
  private let fixture: MoveFixture

  init() async throws { fixture = try await MoveFixture() }

  /// The steps of a move that was told of them.
  private final class Steps: Sendable {
    private let list = Mutex<[StoreMove.Step]>([])
    var all: [StoreMove.Step] { list.withLock { $0 } }
    func add(_ step: StoreMove.Step) { list.withLock { $0.append(step) } }
  }

  private func isOpenable() async throws -> Bool {
    do { try await fixture.openFile() } catch let error as DatabaseOpenError {
      guard case .moved = error else { throw error }
      return false
    }
    return true
  }

  /// Writes two rows into each table that takes them: ordinary values, and large, empty and unusual ones.
  private func fill() async throws {
    try await fixture.change { connection in
      for table in try connection.dataTables() {
        let columns = try connection.rows(
          "SELECT name, type, \"notnull\" + pk AS needed FROM pragma_table_info('\(table)')")
        let names = try columns.map { try $0.text("name") }
        for (row, isLimit) in [(1, false), (2, true)] where table != "vault_generation" || row == 1 {
          let values = try columns.enumerated().map { number, column in
            try Self.value(
              column.text("type"), row: row, column: number, isLimit: isLimit, isNeeded: column.integer("needed") > 0)
          }
          let places = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
          try connection.execute(
            "INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES (\(places))", values)
        }
      }
      // Numbers that the books do not multiply.
      try connection.execute(
        "INSERT INTO wallet_challenges(id, expires_at) VALUES ('most', $1), ('least', $2)",
        [.integer(Int64.max), .integer(Int64.min)])
    }
  }

  private static func value(
    _ type: String, row: Int, column: Int, isLimit: Bool, isNeeded: Bool
  ) throws -> SQLValue {
    if isLimit, !isNeeded { return .null }
    switch type {
    case "TEXT": return .text(isLimit ? "\"'\\\n$1 ☃️𝄞 \(column)" : "text \(row) \(column)")
    case "BLOB": return .blob(isLimit ? [] : [0, 255, UInt8(row), 92, 39])
    default: return .integer(isLimit ? (1 << 20) - Int64(column) : Int64(row))
    }
  }

  @Test("STO-8: every row of every table that the file has arrives, with each value as it was")
  func everyTable() async throws {
    try await fill()
    let expected = try await fixture.fileRows()
    #expect(expected.values.allSatisfy { !$0.isEmpty }, "a table without a row would not be tried")
    let outcome = try await fixture.move()
    #expect(outcome.rows == expected.mapValues(\.count))
    let targetRows = try await fixture.targetRows(expected.keys)
    #expect(targetRows == expected)
  }

  @Test("New rows are numbered after the moved ones")
  func identities() async throws {
    try await fixture.change { connection in
      for _ in 0..<3 {
        try connection.execute(
          "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ('moved', '{}', 0, 0)")
      }
    }
    try await fixture.move()
    let database = try await fixture.target.open(Migration.all)
    let number = try await database.write { connection in
      try connection.row(
        "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ('new', '{}', 0, 0) RETURNING id")?.integer("id")
    }
    #expect(number == 4)
    await database.close()
  }

  @Test("A move that is cut short before its last step leaves the target empty and the file in use, and is repeated")
  func interruptedBefore() async throws {
    try await fill()
    let expected = try await fixture.fileRows()
    let steps = Steps()
    try await fixture.move(rehearsing: true) { steps.add($0) }
    #expect(steps.all.count == expected.count + 1)
    for step in steps.all {
      await #expect(throws: MoveFixture.Interruption()) {
        try await fixture.move { if $0 == step { throw MoveFixture.Interruption() } }
      }
      let targetTables = try await fixture.targetTables()
      #expect(targetTables.isEmpty, "after \(step)")
      #expect(try await isOpenable(), "after \(step)")
    }
    try await fixture.move()
    let targetRows = try await fixture.targetRows(expected.keys)
    #expect(targetRows == expected)
  }

  @Test(
    "A move that is cut short in its last step leaves at most the target to serve; the next try ends it",
    arguments: [false, true])
  func interruptedAtTheEnd(isCommitted: Bool) async throws {
    try await fill()
    let expected = try await fixture.fileRows()
    let last: StoreMove.Step = isCommitted ? .committed : .marked
    await #expect(throws: MoveFixture.Interruption()) {
      try await fixture.move { if $0 == last { throw MoveFixture.Interruption() } }
    }
    let target = "postgres://onside@\(fixture.target.server.socketFolder)/\(fixture.target.name)"
    await #expect(throws: DatabaseOpenError.moved(path: fixture.path, to: target, isComplete: false)) {
      try await fixture.openFile()
    }
    if isCommitted {
      let targetTables = try await fixture.targetTables()
      #expect(!targetTables.contains(BegunMove.table))
    } else {
      try await expectRefusedTarget()
    }
    let other = try await PostgresTestDatabase()
    await #expect(throws: MoveError.begunElsewhere(path: fixture.path, target: target)) {
      try await fixture.move(to: other.server.url(other.name))
    }
    if isCommitted { await (try await fixture.target.open(Migration.all)).close() }
    let outcome = try await fixture.move()
    #expect((outcome.rows == nil) == isCommitted)
    let targetRows = try await fixture.targetRows(expected.keys)
    #expect(targetRows == expected)
    await #expect(throws: DatabaseOpenError.moved(path: fixture.path, to: target, isComplete: true)) {
      try await fixture.openFile()
    }
    let rows = try await fixture.move().rows
    #expect(rows == nil, "a move that has ended may be repeated")
  }

  /// A store that is started on the target finds that a move has begun, and makes no tables.
  private func expectRefusedTarget() async throws {
    let error = await #expect(throws: DatabaseOpenError.self) { try await fixture.target.open(Migration.all) }
    guard case .moveBegun? = error else {
      Issue.record("expected the target to be refused, but got \(String(describing: error))")
      return
    }
    let targetTables = try await fixture.targetTables()
    #expect(targetTables == [BegunMove.table])
  }

  /// A store that is started on the target, and stopped.
  private func serveTarget() async throws {
    let store = try await TestStore(database: fixture.target.open(Migration.all))
    await store.core.dependencies.database.close()
  }

  @Test("A move that is cut short before the file is marked leaves the file in use, and the target to the next try")
  func interruptedBeforeTheMark() async throws {
    await #expect(throws: MoveFixture.Interruption()) {
      try await fixture.move { if $0 == .announced { throw MoveFixture.Interruption() } }
    }
    #expect(try await isOpenable())
    try await expectRefusedTarget()
    let rows = try await fixture.move().rows
    #expect(rows != nil)
    try await serveTarget()
  }

  @Test("A move that has not taken place is abandoned: the file serves again, and may be moved again")
  func abandoned() async throws {
    await #expect(throws: MoveError.notBegun(path: fixture.path)) { try await fixture.abandon() }
    await #expect(throws: MoveFixture.Interruption()) {
      try await fixture.move { if $0 == .marked { throw MoveFixture.Interruption() } }
    }
    let other = try await PostgresTestDatabase()
    let target = "postgres://onside@\(fixture.target.server.socketFolder)/\(fixture.target.name)"
    await #expect(throws: MoveError.begunElsewhere(path: fixture.path, target: target)) {
      try await fixture.abandon(other.server.url(other.name))
    }
    #expect(try await !isOpenable())
    try await fixture.abandon()
    #expect(try await isOpenable())
    let targetTables = try await fixture.targetTables()
    #expect(targetTables == [])
    let rows = try await fixture.move().rows
    #expect(rows != nil)
  }

  @Test("A move whose data the target has is not abandoned, until the target has lost it", arguments: [false, true])
  func abandonedAfterTheCommit(isComplete: Bool) async throws {
    if isComplete {
      try await fixture.move()
    } else {
      await #expect(throws: MoveFixture.Interruption()) {
        try await fixture.move { if $0 == .committed { throw MoveFixture.Interruption() } }
      }
    }
    let error = await #expect(throws: DatabaseOpenError.self) { try await fixture.abandon() }
    guard case .moved(_, _, true)? = error else {
      Issue.record("expected a refusal, but got \(String(describing: error))")
      return
    }
    #expect(try await !isOpenable())
    // As after a failover to a standby without the commit.
    let database = try await fixture.target.open(Migration.all)
    try await database.write { try $0.execute("DELETE FROM settings WHERE name = 'moved_from'") }
    await database.close()
    try await fixture.abandon()
    #expect(try await isOpenable())
  }

  @Test("A move whose target is lost for good is abandoned only when that is said")
  func lostTarget() async throws {
    await #expect(throws: MoveFixture.Interruption()) {
      try await fixture.move { if $0 == .marked { throw MoveFixture.Interruption() } }
    }
    let url = "postgres://onside@127.0.0.1:1/\(fixture.target.name)"
    await #expect(throws: (any Error).self) { try await fixture.abandon(url) }
    #expect(try await !isOpenable())
    try await fixture.abandon(url, targetIsLost: true)
    #expect(try await isOpenable())
  }

  @Test("A move is ended with another address of the same database", arguments: [false, true])
  func otherAddress(isComplete: Bool) async throws {
    if isComplete {
      try await fixture.move()
    } else {
      await #expect(throws: MoveFixture.Interruption()) {
        try await fixture.move { if $0 == .committed { throw MoveFixture.Interruption() } }
      }
    }
    let folder = fixture.target.server.socketFolder
    let url = "postgres://onside@\(folder.replacing("/", with: "%2F")):5432/\(fixture.target.name)"
    let rows = try await fixture.move(to: url).rows
    #expect(rows == nil)
    await #expect(
      throws: DatabaseOpenError.moved(
        path: fixture.path, to: "postgres://onside@\(folder):5432/\(fixture.target.name)", isComplete: true)
    ) { try await fixture.openFile() }
  }

  @Test("The answer to the commit is lost: the file does not serve, the target may, and the same move finds out")
  func lostAnswer() async throws {
    let proxy = try PostgresProxy(to: fixture.target.server)
    let url = proxy.url(fixture.target.name)
    do {
      try await fixture.move(to: url) { if $0 == .marked { proxy.set(.losesAnswerToCommit) } }
      Issue.record("expected the outcome to be unknown")
    } catch MoveError.outcomeUnknown {}
    #expect(try await !isOpenable())
    try await serveTarget()
    proxy.set(.forwards)
    let rows = try await fixture.move(to: url).rows
    #expect(rows == nil)
    #expect(try await !isOpenable())
  }

  @Test("A target with tables is refused, and both stay as they were")
  func targetInUse() async throws {
    let database = try await fixture.target.open(Migration.all)
    try await database.write { try $0.execute("INSERT INTO settings(name, value) VALUES ('mine', '1')") }
    await database.close()
    do {
      try await fixture.move()
      Issue.record("expected the target to be refused")
    } catch MoveError.targetInUse {}
    #expect(try await isOpenable())
    let targetRows = try await fixture.targetRows(["settings"])["settings"]
    #expect(targetRows == [[.text("mine"), .text("1")]])
  }

  @Test("A moved file is not opened, copied or replaced; each says where the store went, without the password")
  func movedFile() async throws {
    let copy = fixture.folder.file("copy.db")
    _ = try DatabaseBackup(of: fixture.path).write(to: copy)
    let url = fixture.target.server.url(fixture.target.name).replacing("onside@", with: "onside:s3cret@")
    try await fixture.move(to: url)
    let attempts: [@Sendable () async throws -> Void] = [
      { [fixture] in try await fixture.openFile() },
      { [fixture] in _ = try DatabaseBackup(of: fixture.path).write(to: copy, overwrites: true) },
      { [fixture] in _ = try DatabaseRestore(of: fixture.path).put(copy, now: fixture.now) },
    ]
    for attempt in attempts {
      let error = await #expect(throws: DatabaseOpenError.self) { try await attempt() }
      let text = try #require(error?.description)
      #expect(text.contains("moved to postgres://onside@\(fixture.target.server.socketFolder)/"), "\(text)")
      #expect(!text.contains("s3cret"))
    }
  }

  @Test("Texts with U+0000 are named by column and key before anything is written")
  func nullCharacters() async throws {
    try await fixture.change { connection in
      // As a text of an earlier version, which bound such texts.
      try connection.execute(
        "INSERT INTO settings(name, value) VALUES ('good', 'a'), ('bad', 'a' || char(0) || 'b')")
    }
    await #expect(throws: MoveError.nullCharacters(["settings.value of the row 'bad'"])) { try await fixture.move() }
    let targetTables = try await fixture.targetTables()
    #expect(targetTables.isEmpty)
    #expect(try await isOpenable())
  }

  @Test("A store that serves is not moved, but a rehearsal beside it copies everything and leaves both as they were")
  func inUse() async throws {
    try await fill()
    let expected = try await fixture.fileRows()
    let store = try SQLiteDatabase.open(at: fixture.path, now: fixture.now)
    await #expect(throws: DatabaseOpenError.inUse(path: fixture.path)) { try await fixture.move() }
    let rehearsal = try await fixture.move(rehearsing: true)
    #expect(rehearsal.rows == expected.mapValues(\.count))
    let targetTables = try await fixture.targetTables()
    #expect(targetTables.isEmpty)
    try await store.write { try $0.execute("INSERT INTO settings(name, value) VALUES ('later', '1')") }
    await store.close()
    try await fixture.move()
    let targetRows = try await fixture.targetRows(["settings"])["settings"]
    #expect(targetRows?.contains([.text("later"), .text("1")]) == true)
  }

  @Test("A file of an older schema is not moved, and the error says what to do first")
  func olderSchema() async throws {
    let path = fixture.folder.file("older.db")
    let database = try SQLiteDatabase.open(
      at: path, migrations: Migration.all.filter { $0.number < 90 }, now: fixture.now)
    await database.close()
    let url = try #require(PostgresURL(fixture.target.server.url(fixture.target.name)))
    let move = StoreMove(from: path, to: url)
    let error = #expect(throws: DatabaseOpenError.self) { try move.run(now: fixture.now) }
    #expect(error?.isOlderVersion == true)
    #expect(error?.description.contains("onside migrate") == true)
    let targetTables = try await fixture.targetTables()
    #expect(targetTables.isEmpty)
  }
}
