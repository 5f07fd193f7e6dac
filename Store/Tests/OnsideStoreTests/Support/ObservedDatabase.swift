import Synchronization

@testable import OnsideStore

/// A database that remembers the text of every statement that is run on it.
final class ObservedDatabase: ForwardingDatabase {
  let base: any Database
  private let seen = Mutex<Set<String>>([])

  init(_ base: any Database) { self.base = base }

  /// The statements since the last call, each once.
  func takeStatements() -> [String] {
    seen.withLock { seen in
      defer { seen = [] }
      return seen.sorted()
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

  private func note(_ sql: String) { seen.withLock { _ = $0.insert(sql) } }
}

private struct ObservedConnection: SQLConnection {
  let base: any SQLConnection
  let note: (String) -> Void

  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    note(sql)
    return try base.execute(sql, arguments)
  }

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    note(sql)
    return try base.rows(sql, arguments)
  }
}
