import PostgresClient
public import StoreBase

/// A consistent copy of a PostgreSQL database in one file, also while stores serve from it: what `pg_dump` sees in one
/// snapshot, in its custom format.
public struct PostgresBackup: Sendable {
  private let url: PostgresURL
  private let plan: MigrationPlan

  /// - Parameter url: the database's address. Its schema may be older than the program's; it stays as it is.
  public init(of url: PostgresURL, migrations: [Migration] = Migration.all) {
    self.url = url
    plan = MigrationPlan(migrations) { $0.postgres }
  }

  /// Writes the copy beside the name, reads it to its end, and gives it the name only then. Returns when it is flushed.
  ///
  /// - Parameter overwrites: whether a file of that name is replaced.
  public func write(to path: String, overwrites: Bool = false) throws -> DatabaseCopy {
    let address = try PostgresAddress(url.text)
    let schema = try schema(at: address)
    return try DatabaseCopy.write(to: path, overwrites: overwrites) { part in
      try PostgresTool("pg_dump").run(["--format=custom", "--no-password", "--file=\(part.path)"], at: address)
      try PostgresTool("pg_restore").run(["--file=/dev/null", part.path])
      return schema
    }
  }

  /// The schema of the database, which has to be a store's.
  private func schema(at address: PostgresAddress) throws -> Int {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    return try plan.schema(of: PostgresSQLConnection(connection), path: "\(address)")
  }
}
