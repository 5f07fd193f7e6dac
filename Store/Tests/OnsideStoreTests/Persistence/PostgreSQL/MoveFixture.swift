import Foundation
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

/// A store's SQLite file, and an empty PostgreSQL database that it is moved to.
struct MoveFixture {
  struct Interruption: Error, Equatable {}

  let folder: TemporaryFolder
  let target: PostgresTestDatabase
  let now = Date(timeIntervalSince1970: 1_780_000_000)

  var path: String { folder.file("store.db") }

  init() async throws {
    folder = try TemporaryFolder()
    target = try await PostgresTestDatabase()
    let database = try SQLiteDatabase.open(at: path, now: now)
    await database.close()
  }

  /// Moves, on a thread of its own, since a move blocks.
  ///
  /// - Parameter url: the target's address, if not this one's.
  @discardableResult
  func move(
    to url: String? = nil, rehearsing: Bool = false,
    observing observe: @escaping @Sendable (StoreMove.Step) throws -> Void = { _ in }
  ) async throws -> StoreMove.Outcome {
    let url = try #require(PostgresURL(url ?? target.server.url(target.name)))
    let move = StoreMove(from: path, to: url, observing: observe)
    return try await onThread { [now] in rehearsing ? try move.rehearse(now: now) : try move.run(now: now) }
  }

  /// Abandons the move, on a thread of its own.
  func abandon(_ url: String? = nil, targetIsLost: Bool = false) async throws {
    let url = try #require(PostgresURL(url ?? target.server.url(target.name)))
    let move = StoreMove(from: path, to: url)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread { continuation.resume(with: Result { try move.abandon(targetIsLost: targetIsLost) }) }
    }
  }

  /// Runs statements in the file, which has to be whole.
  func change(_ body: @escaping @Sendable (any SQLConnection) throws -> Void) async throws {
    let database = try SQLiteDatabase.open(at: path, now: now)
    try await database.write { try body($0) }
    await database.close()
  }

  /// Opens the file and closes it again.
  func openFile() async throws {
    let database = try SQLiteDatabase.open(at: path, now: now, olderSchema: .refuse)
    await database.close()
  }

  /// Every row of every table but that of the migrations, as the file has them.
  func fileRows() async throws -> [String: Set<[SQLValue]>] {
    let database = try SQLiteDatabase.open(at: path, now: now)
    let rows = try await database.read { try Self.rows($0.dataTables(), in: $0) }
    await database.close()
    return rows
  }

  /// The same of the target, without the move's name.
  func targetRows(_ tables: some Collection<String>) async throws -> [String: Set<[SQLValue]>] {
    let (database, tables) = (try await target.open(Migration.all), Array(tables))
    let rows = try await database.read { try Self.rows(tables, in: $0) }
    await database.close()
    return rows.mapValues { $0.filter { !$0.contains("moved_from") } }
  }

  private static func rows(
    _ tables: [String], in connection: any SQLConnection
  ) throws -> [String: Set<[SQLValue]>] {
    try tables.reduce(into: [:]) { all, table in
      all[table] = Set(
        try connection.rows("SELECT * FROM \(table)").map { row in
          row.fields.sorted { $0.name < $1.name }.map(\.value)
        })
    }
  }

  /// The tables of the target.
  func targetTables() async throws -> [String] {
    let url = try #require(PostgresURL(target.server.url(target.name)))
    return try await onThread {
      let target = try MoveTarget(url)
      defer { target.close() }
      return try target.connection.tableNames()
    }
  }
}
