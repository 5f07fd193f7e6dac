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
  /// The store's time when the transaction was begun.
  public let now: Date
  private let connection: any SQLConnection

  /// A transaction on a connection that is inside of one.
  public init(_ connection: any SQLConnection, at now: Date) {
    self.connection = connection
    self.now = now
  }

  /// Runs a statement and returns how many rows it changed.
  @discardableResult
  public func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    try connection.execute(sql, arguments)
  }

  /// Runs a query and returns its rows.
  public func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    try connection.rows(sql, arguments)
  }
}

extension Database {
  /// Reads a consistent state, as of a time.
  public func read<T: Sendable>(
    at now: Date, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await read { try body(StoreTransaction($0, at: now)) }
  }

  /// Runs a write transaction at a time.
  @discardableResult
  public func write<T: Sendable>(
    at now: Date, beside commitHook: (any CommitHook)? = nil,
    _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await write(beside: commitHook) { try body(StoreTransaction($0, at: now)) }
  }
}
