public import Foundation
import GRDB
public import StoreBase
import StoreSales

/// Moves a store from its SQLite file to an empty PostgreSQL database.
///
/// Everything in PostgreSQL is one transaction: tables, rows, checks. A move that is cut short before its last step
/// leaves the database empty. In that step the database says that a move has begun, then the file is marked as moved,
/// while no program can write to it, and then the transaction is committed: at no moment may both databases be served.
public struct StoreMove: Sendable {
  /// What a move has done so far.
  public enum Step: Sendable, Hashable {
    /// A table was copied, and read again with the same rows.
    case copied(table: String, rows: Int)
    /// All tables are there and the books agree.
    case checked
    /// The PostgreSQL database is not served until it has the data.
    case announced
    /// The file is not served any more.
    case marked
    /// The PostgreSQL database has the data.
    case committed
  }

  /// What came of it.
  public struct Outcome: Sendable, Equatable {
    /// The address of the PostgreSQL database, without its password.
    public let target: String
    /// How many rows each table has; nil when the data was there already.
    public let rows: [String: Int]?
    /// What the books say wrong, in the file as in the copy.
    public let faults: [String]
  }

  private let path: String
  private let url: PostgresURL
  private let migrations: [Migration]
  private let random: any RandomSource
  private let observe: @Sendable (Step) throws -> Void

  /// - Parameters:
  ///   - path: the database file.
  ///   - url: the PostgreSQL database, which has to be empty.
  ///   - observe: is told each step. An error that it throws cuts the move short.
  public init(
    from path: String, to url: PostgresURL, migrations: [Migration] = Migration.all,
    random: any RandomSource = SystemRandom(), observing observe: @escaping @Sendable (Step) throws -> Void = { _ in }
  ) {
    self.path = path
    self.url = url
    self.migrations = migrations
    self.random = random
    self.observe = observe
  }

  /// Moves the store, which no program may have open. It may be repeated, whether it was cut short or not.
  public func run(now: Date) throws -> Outcome {
    let lock = try DatabaseLock(database: path)
    try lock.takeAlone()
    defer { lock.release() }
    return try withFile { file in
      let target = try MoveTarget(url)
      defer { target.close() }
      let mark = try file.mark()
      // Its name may have changed, as the order of its hosts.
      let isThere = try mark.map { try target.holds($0.token) } ?? false
      if let mark, !isThere, mark.isComplete || mark.target != target.address { throw elsewhere(mark) }
      let token = mark?.token ?? random.token()
      let outcome =
        isThere ? Outcome(target: target.address, rows: nil, faults: []) : try copy(file, to: target, now: now)
      if !isThere { try commit(target, token: token, file) }
      try observe(.committed)
      try file.write(MovedMark(target: target.address, token: token, isComplete: true))
      return outcome
    }
  }

  /// Takes the mark of a move that has not taken place from the file, which may be served again.
  ///
  /// - Parameter targetIsLost: whether the PostgreSQL database is gone for good. Otherwise it is asked.
  public func abandon(targetIsLost: Bool = false) throws {
    let lock = try DatabaseLock(database: path)
    try lock.takeAlone()
    defer { lock.release() }
    try withFile { file in
      guard let mark = try file.mark() else { throw MoveError.notBegun(path: path) }
      guard !targetIsLost else { return try file.removeMark() }
      let target = try MoveTarget(url)
      defer { target.close() }
      guard try !target.holds(mark.token) else {
        throw DatabaseOpenError.moved(path: path, to: target.address, isComplete: true)
      }
      guard mark.target == target.address else { throw elsewhere(mark) }
      try file.removeMark()
      target.withdraw(mark.token)
    }
  }

  /// Does all of a move but its end, beside a store that may be serving, and leaves both databases as they were.
  public func rehearse(now: Date) throws -> Outcome {
    let lock = try DatabaseLock(database: path)
    try lock.share()
    defer { lock.release() }
    let queue = try SQLiteDatabase.explaining(path) { try SQLiteDatabase.reader(path) }
    defer { try? queue.close() }
    // One read transaction: what a running store sells meanwhile is not in it.
    return try queue.read { database in
      let file = MovedFile(SQLiteConnection(database: database), path: path)
      if let mark = try file.mark() {
        throw DatabaseOpenError.moved(path: path, to: mark.target, isComplete: mark.isComplete)
      }
      let target = try MoveTarget(url)
      defer { target.close() }
      return try copy(file, to: target, now: now)
    }
  }

  /// Holds the file alone, also against programs that do not know ``DatabaseLock``.
  private func withFile<T>(_ body: (MovedFile) throws -> T) throws -> T {
    let queue = try SQLiteDatabase.explaining(path) {
      try SQLiteDatabase.requireAlone(path)
      return try DatabaseQueue(path: path)
    }
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { database in
      let file = MovedFile(SQLiteConnection(database: database), path: path)
      try file.lock()
      defer { file.rollback() }
      return try body(file)
    }
  }

  private func elsewhere(_ mark: MovedMark) -> any Error {
    mark.isComplete
      ? DatabaseOpenError.moved(path: path, to: mark.target, isComplete: true)
      : MoveError.begunElsewhere(path: path, target: mark.target)
  }

  private func copy(_ file: MovedFile, to target: MoveTarget, now: Date) throws -> Outcome {
    try target.withoutTimeout { try copyAll(file, to: target, now: now) }
  }

  private func copyAll(_ file: MovedFile, to target: MoveTarget, now: Date) throws -> Outcome {
    try file.requireCurrent(MigrationPlan(migrations))
    let source = MoveSource(file.connection)
    let tables = try commonTables(
      target.makeTables(MigrationPlan(migrations) { $0.postgres }, now: now), source.tables())
    try source.requireNoNullCharacters(in: tables)
    var rows: [String: Int] = [:]
    for table in tables {
      let (read, written) = (try target.copy(table, from: source), try target.digest(of: table))
      guard read == written else {
        throw MoveError.otherRows(table: table.name, expected: read.rows, found: written.rows)
      }
      rows[table.name] = read.rows
      try observe(.copied(table: table.name, rows: read.rows))
    }
    try target.analyze()
    let faults = try reconcile(source, target)
    try observe(.checked)
    return Outcome(target: target.address, rows: rows, faults: faults)
  }

  /// The tables that the file has, which all have to be there with the same columns. A table that only PostgreSQL has
  /// keeps what its migration has written.
  private func commonTables(_ tables: [MoveTable], _ found: [String: [String]]) throws -> [MoveTable] {
    let common = tables.filter { found[$0.name] != nil }
    let expected = Set(common.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } })
    let known = Set(found.flatMap { name, columns in columns.map { "\(name).\($0)" } })
    guard expected == known else {
      throw MoveError.otherTables(
        missing: expected.subtracting(known).sorted(), unknown: known.subtracting(expected).sorted())
    }
    return common
  }

  /// The faults of the books, which have to be the same in both databases. A move corrects no fault, and makes none.
  private func reconcile(_ source: MoveSource, _ target: MoveTarget) throws -> [String] {
    let limit = 1000
    let before = Set(try Reconciliation(source.connection).faults(limit: limit))
    let after = Set(try Reconciliation(target.connection).faults(limit: limit))
    guard before == after else {
      throw MoveError.reconciliationDiffers(before.symmetricDifference(after).map(\.description).sorted())
    }
    return after.map(\.description).sorted()
  }

  /// First the sign in the target, then the mark of the file, then the commit: a move that is cut short after the mark
  /// leaves no database that may be served, and the next try finds out which one it is.
  private func commit(_ target: MoveTarget, token: String, _ file: MovedFile) throws {
    try target.recordToken(token)
    try target.announce(token)
    try observe(.announced)
    try file.write(MovedMark(target: target.address, token: token, isComplete: false))
    try observe(.marked)
    do {
      try target.commit()
    } catch StorageError.outcomeUnknown(let reason) {
      throw MoveError.outcomeUnknown(path: path, reason: reason)
    } catch {
      try file.removeMark()
      target.withdraw(token)
      throw error
    }
  }
}
