import Foundation
import GRDB
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("Copies of a database", .timeLimit(.minutes(5)))
struct DatabaseCopyTests {
  private let folder: TemporaryFolder
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let migrations = Migration.settings + [Migration(2, name: "one", sql: "CREATE TABLE one(value BIGINT);")]

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.file("store.db") }
  private var copy: String { folder.file("copy.db") }

  private func open(_ path: String? = nil) throws -> SQLiteDatabase {
    try SQLiteDatabase.open(at: path ?? self.path, migrations: migrations, now: now)
  }

  private func backup() -> DatabaseBackup { DatabaseBackup(of: path, migrations: migrations) }

  private func restore() -> DatabaseRestore { DatabaseRestore(of: path, migrations: migrations) }

  private func values(_ database: SQLiteDatabase) async throws -> [Int64] {
    try await database.read { try $0.rows("SELECT value FROM one ORDER BY 1").map { try $0.integer("value") } }
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  @Test("STO-2: a backup has every commit of before it, also those that only the log has, in one file of its own")
  func backsUp() async throws {
    let database = try open()
    try await database.write { try $0.execute("INSERT INTO one VALUES (7)") }
    let outcome = try backup().write(to: copy)
    #expect(outcome == DatabaseCopy(schema: 2, size: StoreFile(copy).size))
    try await database.write { try $0.execute("INSERT INTO one VALUES (8)") }
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let actualFiles = try files().filter { $0.hasPrefix("copy") }
    #expect(actualFiles == ["copy.db"])
    // Write and read version 1: no write-ahead log belongs to it, and it can be read where nothing can be written.
    let data = try Data(contentsOf: URL(filePath: copy))[18...19]
    #expect(data == Data([1, 1]))
    let opened = try open(copy)
    let actualValues = try await values(opened)
    #expect(actualValues == [7])
    await opened.close()
    await database.close()
  }

  @Test("STO-2: a backup comes to its end while others write without a pause")
  func besideWriters() async throws {
    let (database, other) = (try open(), try open())
    let writing = Task {
      while !Task.isCancelled {
        try await other.write { connection in
          for number in 0..<50 { try connection.execute("INSERT INTO one VALUES ($1)", [.integer(number)]) }
        }
      }
    }
    try await until("the first write") { try await !values(database).isEmpty }
    for number in 0..<3 {
      let before = try await values(database).count
      let file = folder.file("copy\(number).db")
      _ = try backup().write(to: file)
      let opened = try open(file)
      let count = try await values(opened).count
      #expect(count >= before && count.isMultiple(of: 50))
      await opened.close()
    }
    writing.cancel()
    try await writing.value
    await database.close()
    await other.close()
  }

  @Test("A backup takes no other file's place unless it is told to, and never the database's own")
  func overwriting() async throws {
    let database = try open()
    try Data("precious".utf8).write(to: URL(filePath: copy))
    #expect(throws: DatabaseCopyError.exists(copy)) { try backup().write(to: copy) }
    let data = try Data(contentsOf: URL(filePath: copy))
    #expect(data == Data("precious".utf8))
    _ = try backup().write(to: copy, overwrites: true)
    let opened = try open(copy)
    await opened.close()
    let alias = folder.file("alias.db")
    try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: path)
    for name in [path, alias] {
      #expect(throws: DatabaseCopyError.sameFile(name)) { try backup().write(to: name, overwrites: true) }
    }
    await database.close()
  }

  @Test("A damaged database is not called a backup, and leaves no file")
  func damagedSource() async throws {
    let database = try open()
    try await database.write { connection in
      for number in 0..<5000 { try connection.execute("INSERT INTO one VALUES ($1)", [.integer(number)]) }
    }
    await database.close()
    try damage(path)
    #expect(throws: DatabaseOpenError.self) { try backup().write(to: copy) }
    let actualFiles = try files().filter { $0.hasPrefix("copy") }
    #expect(actualFiles == [])
  }

  private func damage(_ path: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    for offset in stride(from: 4096 * 5, to: bytes.count, by: 64) { bytes[offset] ^= 0xff }
    try bytes.write(to: URL(filePath: path))
  }

  private func epoch(_ path: String) async throws -> String {
    let database = try open(path)
    let epoch = try await database.read { try SyncEpoch.current(in: $0) }
    await database.close()
    return epoch
  }

  private func sequenceBase(_ path: String) async throws -> Int64 {
    let database = try open(path)
    let base = try await database.read { try SyncEpoch.sequenceBase(in: $0) }
    await database.close()
    return base
  }

  /// A database with one value and a backup of it, and another value since.
  private func backedUp() async throws {
    let database = try open()
    try await SyncEpoch.begin(database, SeededRandomSource(seed: 1))
    try await database.write { try $0.execute("INSERT INTO one VALUES (1)") }
    _ = try backup().write(to: copy)
    try await database.write { try $0.execute("INSERT INTO one VALUES (2)") }
    await database.close()
  }

  @Test("QUE-16: a restore puts the backup in place with an epoch of its own, and keeps what was there")
  func restores() async throws {
    try await backedUp()
    let outcome = try restore().put(copy, now: now)
    #expect(outcome.copy.schema == 2 && !outcome.isOlder)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let kept = try #require(outcome.kept)
    for (file, wanted) in [(path, [Int64(1)]), (kept, [1, 2]), (copy, [1])] {
      let database = try open(file)
      let actualValues = try await values(database)
      #expect(actualValues == wanted)
      await database.close()
    }
    let restoredEpoch = try await epoch(path)
    let copyEpoch = try await epoch(copy)
    #expect(restoredEpoch != copyEpoch)
    let keptEpoch = try await epoch(kept)
    #expect(keptEpoch == copyEpoch)
    let (restoredBase, keptBase) = (try await sequenceBase(path), try await sequenceBase(kept))
    #expect(restoredBase == Int64(now.timeIntervalSince1970))
    #expect(keptBase == 1)
    let actualFiles = try files().filter { $0.contains("restoring") }
    #expect(actualFiles == [])
  }

  @Test("A new epoch never lowers the sequences of events")
  func sequenceBaseRises() async throws {
    let database = try open()
    let now = now
    try await database.write { connection in
      try SyncEpoch.set("second", at: now, in: connection)
      try SyncEpoch.set("third", at: now.addingTimeInterval(-3600), in: connection)
    }
    await database.close()
    let base = try await sequenceBase(path)
    #expect(base == Int64(now.timeIntervalSince1970))
  }

  @Test("A restore refuses while a program has the database open, also one that does not know the lock")
  func restoreInUse() async throws {
    try await backedUp()
    let database = try open()
    #expect(throws: DatabaseOpenError.inUse(path: path)) { try restore().put(copy, now: now) }
    await database.close()
    let foreign = try DatabasePool(path: path)
    _ = try await foreign.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM one") }
    #expect(throws: DatabaseOpenError.inUse(path: path)) { try restore().put(copy, now: now) }
    try foreign.close()
    let again = try open()
    let actualValues = try await values(again)
    #expect(actualValues == [1, 2])
    await again.close()
  }

  @Test("A damaged, foreign or missing backup is refused, and the database stays as it is")
  func badBackup() async throws {
    try await backedUp()
    let (foreign, garbage, empty) = (folder.file("foreign"), folder.file("garbage"), folder.file("empty"))
    try await DatabaseQueue(path: foreign).write { try $0.execute(sql: "CREATE TABLE photos(name TEXT)") }
    try Data(repeating: 65, count: 8192).write(to: URL(filePath: garbage))
    try Data().write(to: URL(filePath: empty))
    #expect(throws: DatabaseOpenError.notAStore(path: foreign)) { try restore().put(foreign, now: now) }
    #expect(throws: DatabaseOpenError.self) { try restore().put(garbage, now: now) }
    #expect(throws: DatabaseCopyError.empty(empty)) { try restore().put(empty, now: now) }
    #expect(throws: DatabaseCopyError.missing("none")) { try restore().put("none", now: now) }
    #expect(throws: DatabaseCopyError.sameFile(path)) { try restore().put(path, now: now) }
    let actualFiles = try files().filter { $0.contains("restor") }
    #expect(actualFiles == [])
    let database = try open()
    let actualValues = try await values(database)
    #expect(actualValues == [1, 2])
    await database.close()
  }

  @Test("A backup takes a damaged database's place; that one is kept as it is")
  func overDamage() async throws {
    try await backedUp()
    try Data(repeating: 65, count: 8192).write(to: URL(filePath: path))
    let outcome = try restore().put(copy, now: now)
    let kept = try #require(outcome.kept)
    let data = try Data(contentsOf: URL(filePath: kept))
    #expect(data == Data(repeating: 65, count: 8192))
    let database = try open()
    let actualValues = try await values(database)
    #expect(actualValues == [1])
    await database.close()
  }
}
