/// A connection inside one transaction. SQL is that which SQLite and PostgreSQL share: parameters `$1`, `$2`…,
/// `ON CONFLICT`, `RETURNING`. In a query a `$` stands for nothing else, also within quotes.
public protocol SQLConnection {
  /// Runs a statement and returns how many rows it changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int

  /// Runs a query and returns its rows.
  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow]

  /// The names of all tables.
  func tableNames() throws(StorageError) -> [String]

  /// The identity of the database, which a copy of its file or rows does not share: of a file its inode number and time
  /// of creation, of a PostgreSQL database the server's system identifier and the database's oid. A failover to a
  /// standby keeps it, and so does a copy of a whole disk or server. Nil where the system does not report it.
  func databaseIdentity() throws(StorageError) -> String?
}

extension SQLConnection {
  /// Runs a statement without parameters.
  @discardableResult
  public func execute(_ sql: String) throws(StorageError) -> Int { try execute(sql, []) }

  /// The tables that hold a store's data: all but that of the migrations, and SQLite's own.
  package func dataTables() throws(StorageError) -> [String] {
    try tableNames().filter { $0 != "schema_migrations" && !$0.hasPrefix("sqlite_") }
  }

  /// Runs a query without parameters.
  public func rows(_ sql: String) throws(StorageError) -> [SQLRow] { try rows(sql, []) }

  /// The first row of a query, or nil.
  public func row(_ sql: String, _ arguments: [SQLValue] = []) throws(StorageError) -> SQLRow? {
    try rows(sql, arguments).first
  }
}

/// The transactional SQL database of the store. The closures are synchronous, short, and run one transaction.
public protocol Database: Sendable {
  /// Reads a consistent state.
  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

  /// Runs a write transaction. Returns after the commit is flushed to disk and the commit hook, if there is one, has
  /// run. When the closure throws, its changes are rolled back.
  @discardableResult
  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T

  /// The disk error of the last write, such as a full disk; nil when the write succeeded. A write that changes nothing
  /// succeeds on a full disk, too: it leaves this as it is.
  var writeFailure: StorageError? { get }

  /// How many commits have written something to the disk since the database was opened. Each proves that it could be
  /// written then.
  var writtenCommits: Int { get }

  /// The first damage that a check, a read or a write has found since the database was opened. It stays: a later read
  /// may only not meet it.
  var foundDamage: String? { get }

  /// How many writes wait for their commit.
  var waitingWrites: Int { get }

  /// The connections to the database's server; nil where there is none.
  var connections: DatabaseConnections? { get }

  /// What opening did to the tables; nil when they were up to date, or new.
  var schemaChange: SchemaChange? { get }

  /// How much room the database takes.
  func sizes() async throws -> DatabaseSizes

  /// Reports each commit from now on to one observer, which must be quick. The latest observer counts.
  func observeCommits(_ observer: @escaping @Sendable (CommitReport) -> Void)

  /// Tells the other processes of the database what to read; nil where they only look from time to time.
  var wakeRelay: (any WakeRelay)? { get }

  /// How far a clock is from that of the database's server; nil where there is no server.
  func clockDifference(of clock: any StoreClock) async throws -> ClockDifference?

  /// Erases deleted rows from the files, which may still hold older versions of a page. It gives up instead of waiting:
  /// false when another connection was using the files, and the caller tries again later.
  func clearDeleted() async throws -> Bool

  /// Whether a server holds it, so that stores on several machines may share it.
  var isOnServer: Bool { get }

  /// Checks the integrity of all data, beside readers and writers, unless that was done before the file was opened.
  /// Returns the first finding, or nil.
  func damage() async throws -> String?

  /// Commits the accepted writes, refuses later ones, and closes.
  func close() async
}

extension Database {
  /// None.
  public var wakeRelay: (any WakeRelay)? { nil }

  /// There is no server.
  public var connections: DatabaseConnections? { nil }

  /// There is no server.
  public func clockDifference(of clock: any StoreClock) async throws -> ClockDifference? { nil }

  /// Runs a write transaction without a commit hook.
  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    try await write(beside: nil, body)
  }

  /// Reads nothing; throws when the database cannot be read.
  package func ping() async throws {
    _ = try await read { try $0.row("SELECT 1 AS one") }
  }
}
