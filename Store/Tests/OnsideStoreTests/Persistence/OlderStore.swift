import StoreTestSupport

@testable import OnsideStore
@testable import StoreBase

/// A database of an earlier schema with a store's data: what a store of today has written, in the columns that the
/// earlier schema has.
struct OlderStore {
  /// The tables of the earlier schema that have rows, and the rows' columns.
  let tables: [String: [String]]
  private let engine: TestEngine
  private let number: Int
  private let folder: TemporaryFolder

  /// The migrations up to a number.
  static func migrations(upTo number: Int) -> [Migration] { Migration.all.filter { $0.number <= number } }

  /// - Parameters:
  ///   - engine: the database's engine.
  ///   - number: the newest migration that it has.
  ///   - source: a store's database, from which the data is copied.
  init(_ engine: TestEngine, schema number: Int, dataOf source: any Database) async throws {
    folder = try TemporaryFolder()
    (self.engine, self.number) = (engine, number)
    tables = try await Self.tables(upTo: number)
    let database = try await engine.open(in: folder, Self.migrations(upTo: number))
    for (table, columns) in tables {
      let rows = try await source.read { try Self.rows(table, columns, number, in: $0) }
      try await database.write { connection in
        for row in rows {
          let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
          try connection.execute(
            "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(places))", row)
        }
        if engine != .sqlite { try Self.countOn(table, in: connection) }
      }
    }
    await database.close()
  }

  /// Opens it with this program's migrations, or with other ones.
  func open(_ migrations: [Migration] = Migration.all) async throws -> any Database {
    try await engine.open(in: folder, migrations)
  }

  /// The rows of a table of today's schema, in the columns of the earlier one and as it had them.
  func rows(_ table: String, in connection: any SQLConnection) throws -> [[SQLValue]] {
    try Self.rows(table, tables[table] ?? [], number, in: connection)
  }

  private static func rows(
    _ table: String, _ columns: [String], _ number: Int, in connection: any SQLConnection
  ) throws -> [[SQLValue]] {
    let list = columns.map { expression($0, of: table, number) ?? $0 }.joined(separator: ", ")
    let order = (1...columns.count).map(String.init).joined(separator: ", ")
    return try connection.rows("SELECT \(list) FROM \(table) ORDER BY \(order)").map { row in
      columns.map { row[$0] }
    }
  }

  /// How a column that was changed since a schema is read as that schema had it.
  private static func expression(_ column: String, of table: String, _ number: Int) -> String? {
    switch (table, column) {
    case ("payment_methods", "card") where number < 225: "reference AS card"
    case ("payments", let kept) where number < 323 && kept.hasPrefix("kept_"): "CAST(NULL AS TEXT) AS \(kept)"
    case ("payments", "keeps") where number < 325: "CASE WHEN renewal_agreed_by IS NULL THEN 0 ELSE 1 END AS keeps"
    case ("subscriptions", "next_product") where number < 325: "CAST(NULL AS BIGINT) AS next_product"
    case ("subscriptions", "next_country") where number < 325: "CAST(NULL AS TEXT) AS next_country"
    case ("outbox", "set_aside_at") where number < 322: "CAST(NULL AS BIGINT) AS set_aside_at"
    // Before refunds were on record, their rows of the ledger did not name them.
    case ("ledger", "kind") where number < 226:
      "CASE WHEN kind LIKE 'refund:%' THEN 'refund' WHEN kind LIKE 'commission_refund:%' THEN 'commission_refund' "
        + "WHEN kind LIKE 'tax_refund:%' THEN 'tax_refund' ELSE kind END AS kind"
    default: nil
    }
  }

  /// Both engines have the same tables (`MigrationTextTests`).
  private static func tables(upTo number: Int) async throws -> [String: [String]] {
    let folder = try TemporaryFolder()
    let database = try await TestEngine.sqlite.open(in: folder, migrations(upTo: number))
    let tables = try await database.read { connection in
      try Dictionary(
        uniqueKeysWithValues: connection.dataTables().map { table in
          (table, try connection.rows("SELECT name FROM pragma_table_info('\(table)')").map { try $0.text("name") })
        })
    }
    await database.close()
    return tables
  }

  /// PostgreSQL gives the next row the number after the copied ones.
  static func countOn(_ table: String, in connection: any SQLConnection) throws {
    let columns = try connection.rows(
      """
      SELECT column_name::text AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = '\(table)' AND is_identity = 'YES'
      """)
    for column in try columns.map({ try $0.text("name") }) {
      _ = try connection.row(
        """
        SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'),
          (SELECT coalesce(max(\(column)), 0) + 1 FROM \(table)), false) AS next
        """)
    }
  }
}
