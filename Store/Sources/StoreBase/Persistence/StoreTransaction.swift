public import Foundation

/// A running transaction: its connection, and the time that all of its writes carry. Queries and statements are run on
/// it directly:
///
/// ```swift
/// try await database.write(at: clock.now()) { transaction in
///   try transaction.execute("UPDATE orders SET finished_at = $2 WHERE id = $1", [id, .date(transaction.now)])
/// }
/// ```
///
/// A function that writes takes a transaction (`in transaction`). A function that only reads, and needs no time, takes
/// any connection (`in connection`). So do the few writers whose callers have no clock: settings, the vault's
/// generation, the states of OpenID requests, and the deletion of expired rows.
public struct StoreTransaction: SQLConnection {
  /// The time that its writes carry: the store's when it was begun, or that of an account that is ahead of the store.
  public var now: Date { storeNow.addingTimeInterval(Double(aheadMilliseconds) / 1000) }
  /// The store's time when the transaction was begun.
  public let storeNow: Date
  /// How far ``now`` is ahead of ``storeNow``, in milliseconds.
  let aheadMilliseconds: Int64
  private let connection: any SQLConnection
  private let actions: CommitActions?

  /// A transaction on a connection that is inside of one. What is to run after its commit is dropped.
  public init(_ connection: any SQLConnection, at now: Date) { self.init(connection, at: now, actions: nil) }

  fileprivate init(
    _ connection: any SQLConnection, at now: Date, ahead milliseconds: Int64 = 0, actions: CommitActions?
  ) {
    self.connection = connection
    storeNow = now
    aheadMilliseconds = milliseconds
    self.actions = actions
  }

  /// The same transaction at a time that is ahead of the store's.
  package func ahead(byMilliseconds milliseconds: Int64) -> StoreTransaction {
    StoreTransaction(connection, at: storeNow, ahead: milliseconds, actions: actions)
  }

  /// A moment of the transaction's time, in the store's: for what the store is to do then.
  package func storeTime(of moment: Date) -> Date { moment.addingTimeInterval(-Double(aheadMilliseconds) / 1000) }

  /// Runs an action once after the commit, before the writer gets its result; in the order of the calls. It does not
  /// run when the write is rolled back, in a read, and when the commit hook's part after the commit fails. Where the
  /// engine runs the write again, the actions of its last run count. Meant for what only counts, such as metrics: a
  /// process that ends right after the commit does not run it.
  package func afterCommit(_ action: @escaping @Sendable () -> Void) { actions?.all.append(action) }

  /// Runs a statement and returns how many rows it changed.
  @discardableResult
  public func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    try connection.execute(sql, arguments)
  }

  /// Runs a query and returns its rows.
  public func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    try connection.rows(sql, arguments)
  }

  /// The names of all tables.
  public func tableNames() throws(StorageError) -> [String] { try connection.tableNames() }

  /// The identity of the database.
  public func databaseIdentity() throws(StorageError) -> String? { try connection.databaseIdentity() }
}

/// What a transaction's writer runs after the commit.
private final class CommitActions {
  var all: [@Sendable () -> Void] = []
}

extension Database {
  /// Reads a consistent state, as of a time.
  public func read<T: Sendable>(
    at now: Date, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await read { try body(StoreTransaction($0, at: now)) }
  }

  /// Runs a write transaction at a time, and after its commit what it has asked for.
  @discardableResult
  public func write<T: Sendable>(
    at now: Date, beside commitHook: (any CommitHook)? = nil,
    _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    let (result, actions) = try await write(beside: commitHook) { connection in
      let actions = CommitActions()
      let result = try body(StoreTransaction(connection, at: now, actions: actions))
      return (result, actions.all)
    }
    for action in actions { action() }
    return result
  }
}
