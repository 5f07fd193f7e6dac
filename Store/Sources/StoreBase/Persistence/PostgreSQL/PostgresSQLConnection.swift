package import PostgresClient

/// ``SQLConnection`` on one PostgreSQL connection.
package final class PostgresSQLConnection: SQLConnection {
  let connection: PostgresConnection
  /// The last error of a statement in the transaction's present part: PostgreSQL runs nothing more in it.
  private(set) var failure: PostgresError?
  var savepoint = Savepoint.none
  /// How many rows the transaction has written.
  package var written = 0
  /// How many before the present part.
  var writtenBefore = 0

  /// The savepoint of the shared transaction.
  enum Savepoint {
    case none
    /// Nothing was changed since.
    case fresh
    /// Behind it is what a job has changed.
    case kept
  }

  package init(_ connection: PostgresConnection) { self.connection = connection }

  @discardableResult
  package func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    try query(sql, arguments).affected
  }

  package func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    let result = try query(sql, arguments)
    var rows: [SQLRow] = []
    rows.reserveCapacity(result.rows.count)
    for row in result.rows {
      var values: [SQLValue] = []
      values.reserveCapacity(row.count)
      for (column, value) in zip(result.columns, row) { values.append(try SQLValue(value, column: column)) }
      rows.append(SQLRow(columns: result.columns, values: values))
    }
    return rows
  }

  package func tableNames() throws(StorageError) -> [String] {
    let sql = "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = current_schema()"
    return try rows(sql, []).map { row throws(StorageError) in try row.text("name") }
  }

  /// Nil for a role without the right to call `pg_control_system()`, which every role has unless it was revoked.
  package func databaseIdentity() throws(StorageError) -> String? {
    let right = "SELECT has_function_privilege('pg_control_system()', 'execute')::int AS may_read"
    guard try row(right)?.integer("may_read") == 1 else { return nil }
    let identity = """
      SELECT 'database ' || system_identifier::text || ' ' || oid::text AS identity
      FROM pg_control_system(), pg_database WHERE datname = current_database()
      """
    return try row(identity)?.text("identity")
  }

  private func query(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> PostgresResult {
    let result = try run { () throws(PostgresError) in try connection.query(sql, arguments.map(\.parameter)) }
    if result.command != "SELECT" { written += result.affected }
    return result
  }

  /// Runs a step of the transaction, and keeps its error.
  func run<T>(_ step: () throws(PostgresError) -> T) throws(StorageError) -> T {
    do throws(PostgresError) { return try step() } catch {
      // What fails afterwards fails because of the first error.
      if failure == nil || !connection.isOpen { failure = error }
      throw StorageError(error)
    }
  }

  /// What failed is undone.
  func forgetFailure() { failure = nil }

  /// Whether nothing of the transaction is kept for a reason that does not lie in it, so that it can run again.
  var mayRunAgain: Bool {
    switch failure?.kind {
    case .connectionLost, .serialization, .deadlock, .statementOutdated, .readOnly, .unreachable: true
    default: false
    }
  }
}

extension SQLValue {
  fileprivate var parameter: PostgresParameter {
    switch self {
    // The server infers its type from its place, and the statement is prepared with that type.
    case .null: .null(nil)
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .blob(let bytes): .bytes(bytes)
    }
  }

  fileprivate init(_ value: PostgresValue, column: String) throws(StorageError) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let number): self = .integer(number)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .blob(bytes)
    case .numeric(let digits):
      guard let number = Int64(digits) else {
        throw .unexpectedValue(column: column, expected: "a whole number")
      }
      self = .integer(number)
    case .double: throw .unexpectedValue(column: column, expected: "no floating point number")
    }
  }
}
