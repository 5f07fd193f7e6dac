import Synchronization

@testable import OnsideStore
@testable import StoreBase

/// A database that remembers every statement that is run on it.
final class ObservedDatabase: ForwardingDatabase {
  let base: any Database
  /// By the statement's text, the values of its first run.
  private let seen = Mutex<[String: [SQLValue]]>([:])

  init(_ base: any Database) { self.base = base }

  /// The statements since the last call, each once.
  func takeStatements() -> [(sql: String, arguments: [SQLValue])] {
    seen.withLock { seen in
      defer { seen = [:] }
      return seen.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    try await base.read { [self] in try body(ObservedConnection(base: $0, note: note)) }
  }

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    try await base.write(beside: commitHook) { [self] in try body(ObservedConnection(base: $0, note: note)) }
  }

  private func note(_ sql: String, _ arguments: [SQLValue]) {
    seen.withLock { $0.merge([sql: arguments]) { first, _ in first } }
  }
}

private struct ObservedConnection: SQLConnection {
  let base: any SQLConnection
  let note: (String, [SQLValue]) -> Void

  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    note(sql, arguments)
    return try base.execute(sql, arguments)
  }

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    note(sql, arguments)
    return try base.rows(sql, arguments)
  }

  func tableNames() throws(StorageError) -> [String] { try base.tableNames() }

  func databaseIdentity() throws(StorageError) -> String? { try base.databaseIdentity() }
}
