import Foundation
import PostgresClient

/// The store's data in a PostgreSQL database, which several processes may share.
///
/// Writes wait for each other: each process commits its waiting writes together, and takes a lock of the database for
/// it. What a closure has read is therefore still true when it commits, as with SQLite.
public final class PostgresDatabase: Database {
  /// Timeout of a read or a write for an unreachable server, such as during a failover.
  static let patience = Duration.seconds(5)

  private let readers: PostgresPool
  private let writer: PostgresPool
  private let committer: GroupCommitter
  private let wakes: PostgresWakes
  private let condition = DatabaseCondition()
  private let failovers = FailoverCount()
  /// Once this process knows a new primary, it neither reads nor writes at the old one, which may still take itself for
  /// the primary.
  let timeline: PostgresTimeline
  /// What opening did to the tables; nil when they were up to date, or new.
  public let schemaChange: SchemaChange?

  init(_ address: PostgresAddress, schemaChange: SchemaChange?, longReads: Bool, statementTimeout: Duration) {
    self.schemaChange = schemaChange
    let timeline = PostgresTimeline()
    var settings = PostgresSettings(statementTimeout: statementTimeout, idleTransactionTimeout: statementTimeout)
    let writer = PostgresPool(address, settings: settings, limits: .init(connections: 1), timeline: timeline)
    if longReads { settings.statementTimeout = nil }
    let readers = PostgresPool(address, settings: settings, timeline: timeline)
    (self.readers, self.writer, self.timeline) = (readers, writer, timeline)
    wakes = PostgresWakes(address, timeline: timeline)
    committer = GroupCommitter { [condition, failovers] batch in
      // The machine's own clock: this is the time of its server, which no store's clock moves.
      let start = ContinuousClock.now
      let result = PostgresBatch(batch, writer: writer, readers: readers).commit()
      failovers.note(hasLostServer: result.hasLostServer, isCommitted: result.failure == nil)
      condition.ended(result.commit, failure: result.failure, after: ContinuousClock.now - start)
      return { result.commit.settle(result.failure) }
    }
  }

  // A pool's threads keep it alive until it is shut down.
  deinit {
    wakes.shutDown()
    writer.shutDown()
    readers.shutDown()
  }

  /// Reads one state of the data. The closure runs again when the connection was lost.
  public func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    do { return try await PostgresRead(readers).run(body) } catch {
      condition.note(error)
      throw error
    }
  }

  /// Changes the state together with other waiting writes; returns after the commit and after the commit hook's part.
  /// The closure runs again when nothing of it was kept for a reason that does not lie in it. It throws
  /// ``StorageError/outcomeUnknown(_:)`` when the answer to the commit did not come.
  @discardableResult
  public func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    try await committer.write(beside: commitHook, body)
  }

  /// What kept the last write from being committed; nil when it was.
  public var writeFailure: StorageError? { condition.writeFailure }

  /// How many commits have written something since the database was opened.
  public var writtenCommits: Int { condition.writtenCommits }

  /// The first damage that the server has reported since the database was opened.
  public var foundDamage: String? { condition.damage }

  /// True: a server holds it.
  public var isOnServer: Bool { true }

  /// How many writes wait for their commit.
  public var waitingWrites: Int { committer.waitingCount }

  /// The connections of this process.
  public var connections: DatabaseConnections? {
    let (reading, writing) = (readers.usage, writer.usage)
    return DatabaseConnections(
      open: reading.connections + writing.connections, waitingReads: reading.waiting, failovers: failovers.value)
  }

  /// The size of the database. The server's log is of all its databases, and the server removes it by itself: 0.
  public func sizes() async throws -> DatabaseSizes {
    let row = try await read { try $0.row("SELECT pg_database_size(current_database()) AS size") }
    return DatabaseSizes(data: try row?.integer("size") ?? 0, log: 0)
  }

  /// Reports each commit from now on.
  public func observeCommits(_ observer: @escaping @Sendable (CommitReport) -> Void) { condition.observe(observer) }

  /// NOTIFY and LISTEN.
  public var wakeRelay: (any WakeRelay)? { wakes }

  /// Compares a clock with the server's.
  public func clockDifference(of clock: any StoreClock) async throws -> ClockDifference? {
    try await read { connection in
      // `now()` would be the beginning of the transaction.
      let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS time"
      // The first time the statement is prepared, which takes a round trip more.
      _ = try connection.row(sql)
      let asked = clock.now()
      guard let server = try connection.row(sql)?.date("time") else { return nil }
      return ClockDifference(asked: asked, server: server, answered: clock.now())
    }
  }

  /// Nothing to do: the server's autovacuum reuses the room of deleted rows.
  public func clearDeleted() async throws -> Bool { true }

  /// Nothing: the server checks its own pages when it reads them.
  public func damage() async throws -> String? { nil }

  /// Commits what was accepted and closes every connection.
  public func close() async {
    await committer.close()
    await wakes.close()
    await writer.close()
    await readers.close()
  }
}
