import ServiceLifecycle

/// Rows whose time is over are deleted some at a time: a transaction stays short however many there are, and what is
/// bought meanwhile does not wait for all of them.
package enum Retention {
  /// How many rows one transaction deletes at most.
  package static let limit = 200
}

extension SQLConnection {
  /// Deletes some of the rows for which a condition holds; returns how many.
  ///
  /// - Parameters:
  ///   - condition: what an index finds.
  ///   - key: the columns of the primary key.
  @discardableResult
  package func deleteSome(
    from table: String, where condition: String, _ arguments: [SQLValue], key: String = "id"
  ) throws(StorageError) -> Int {
    try execute(
      """
      DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT \(Retention.limit))
      """, arguments)
  }
}

extension Database {
  /// Repeats a piece of work, each time in a write of its own, until it has changed fewer rows than a piece has, or the
  /// store stops.
  package func inPieces(_ piece: @escaping @Sendable (any SQLConnection) throws -> Int) async throws {
    while try await write(piece) >= Retention.limit {
      guard !Task.isShuttingDownGracefully else { return }
      try Task.checkCancellation()
    }
  }
}

extension Migration {
  static let retention = [
    Migration(
      115, name: "what has served its time is found by that",
      sql: """
        CREATE INDEX web_sessions_by_end ON web_sessions(expires_at);
        CREATE INDEX methods_sessions_by_end ON methods_sessions(expires_at);
        CREATE INDEX attribution_visits_with_network ON attribution_visits(visited_at) WHERE network IS NOT NULL;
        """)
  ]
}
