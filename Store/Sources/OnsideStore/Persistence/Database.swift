/// A connection inside one transaction. SQL is written once for both databases: parameters `$1`, `$2`…,
/// `ON CONFLICT`, `RETURNING`.
public protocol SQLConnection {
  /// Runs a statement and returns how many rows it changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int

  /// Runs a query and returns its rows.
  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow]
}

extension SQLConnection {
  /// Runs a statement without parameters.
  @discardableResult
  public func execute(_ sql: String) throws(StorageError) -> Int { try execute(sql, []) }

  /// Runs a query without parameters.
  public func rows(_ sql: String) throws(StorageError) -> [SQLRow] { try rows(sql, []) }

  /// The first row of a query, or nil.
  public func row(_ sql: String, _ arguments: [SQLValue] = []) throws(StorageError) -> SQLRow? {
    try rows(sql, arguments).first
  }
}

/// Where the store keeps everything. The closures are synchronous, short, and run one transaction.
public protocol Database: Sendable {
  /// Reads a consistent state.
  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

  /// Changes the state in one transaction and returns only after it is safely on disk, and after the companion's part,
  /// if there is one. When the closure throws, nothing of it stays.
  @discardableResult
  func write<T: Sendable>(
    beside companion: (any CommitCompanion)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T

  /// What kept the last write from the disk, such as that it is full; nil when it was written.
  var writeFailure: StorageError? { get }

  /// A number that differs when another process has changed the data since it was last asked.
  func changeToken() async throws -> Int64

  /// Clears what was deleted out of the files, where older versions of a page may still lie. False when somebody was
  /// using them: try again. Nobody waits for it meanwhile.
  func clearDeleted() async throws -> Bool

  /// Looks through all of the data, beside readers and writers, unless that was done before it was opened. What it
  /// finds wrong, or nil.
  func damage() async throws -> String?

  /// Finishes what was accepted, refuses what comes later, and closes.
  func close() async
}

extension Database {
  /// Changes the state in one transaction that nothing else goes along with.
  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    try await write(beside: nil, body)
  }
}
