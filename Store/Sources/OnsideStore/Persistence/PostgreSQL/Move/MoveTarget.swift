import Foundation
import PostgresClient

/// The PostgreSQL database that a store is moved to. All that happens in it is one transaction.
struct MoveTarget {
  private static let setting = "moved_from"
  private static let fetchedRows = 200

  private let address: PostgresAddress
  private let connection: PostgresConnection
  let shared: PostgresSQLConnection
  /// The address without its password.
  let name: String

  /// Connects, begins the transaction and takes the writers' lock.
  init(_ url: PostgresURL) throws {
    let address = try PostgresAddress(url.text)
    name = "\(address)"
    self.address = address
    // The transaction waits for the file.
    let settings = PostgresSettings(idleTransactionTimeout: .zero)
    connection = try PostgresConnection(address, settings: settings)
    shared = PostgresSQLConnection(connection)
    try shared.begin()
  }

  /// Rolls back what was not committed.
  func close() { connection.close() }

  /// Whether a move of that name has put its data there.
  func holds(_ token: String) throws -> Bool {
    guard try shared.tables().contains("settings") else { return false }
    return try StoreSettings(connection: shared).value(Self.setting) == token
  }

  /// Runs a closure whose statements may take as long as they need.
  func withoutTimeout<T>(_ body: () throws -> T) throws -> T { try connection.withoutTimeout(body) }

  /// Says in the database that this move has begun, before its data can be seen.
  func announce(_ token: String) throws { try BegunMove.write(token, at: address) }

  /// Takes back what ``announce(_:)`` has said, as far as the server answers: no commit has taken place.
  func withdraw(_ token: String) {
    connection.close()
    try? BegunMove.remove(token, at: address)
  }

  /// Commits the data. From then on stores may serve from it.
  func commit() throws {
    try shared.execute("DROP TABLE \(BegunMove.table)")
    try shared.commit()
  }

  /// Makes the tables in a database that has none.
  func makeTables(_ plan: MigrationPlan, now: Date) throws -> [MoveTable] {
    let found = try shared.tables().filter { $0 != BegunMove.table }
    guard found.isEmpty else { throw MoveError.targetInUse(target: name, tables: found.count) }
    try plan.apply(to: shared, now: now) { try connection.run(script: $0) }
    return try tables()
  }

  /// Copies a table. Rows that the migrations have written are the file's, too, and come with it. Returns the digest of what was read.
  func copy(_ table: MoveTable, from source: MoveSource) throws -> TableDigest {
    if try count(of: table) > 0 { try shared.execute("DELETE FROM \"\(table.name)\"") }
    var digest = TableDigest()
    var writer = TableWriter(table, connection)
    try source.connection.forEachRow(of: "SELECT \(table.columnList) FROM \"\(table.name)\"") { values in
      digest.add(values)
      try writer.write(values)
    }
    try writer.flush()
    for column in table.columns { try goOn(after: column, of: table) }
    return digest
  }

  /// The digest of a table as the database has it.
  func digest(of table: MoveTable) throws -> TableDigest {
    let cursor = "\"moved_\(table.name)\""
    try connection.run(
      script: "DECLARE \(cursor) NO SCROLL CURSOR FOR SELECT \(table.columnList) FROM \"\(table.name)\"")
    var digest = TableDigest()
    while true {
      let rows = try shared.rows("FETCH \(Self.fetchedRows) FROM \(cursor)")
      guard !rows.isEmpty else { break }
      for row in rows { digest.add(row.fields.map(\.value)) }
    }
    try connection.run(script: "CLOSE \(cursor)")
    return digest
  }

  /// Tells the planner what the tables hold: otherwise its first plans would read them whole.
  func analyze() throws { try connection.run(script: "ANALYZE") }

  /// Names the move in the data, without the mark that the file may have of an earlier try.
  func name(move token: String) throws {
    try MovedMark.remove(from: shared)
    try StoreSettings(connection: shared).set(Self.setting, to: token)
  }

  /// The number of the next row is greater than that of each copied one.
  private func goOn(after column: MoveTable.Column, of table: MoveTable) throws {
    guard let sequence = column.sequence else { return }
    _ = try shared.rows(
      """
      SELECT setval('\(sequence)'::regclass, coalesce(max("\(column.name)"), 0) + 1, false) AS next
      FROM "\(table.name)"
      """)
  }

  private func count(of table: MoveTable) throws -> Int64 {
    try shared.row("SELECT count(*) AS count FROM \"\(table.name)\"")?.integer("count") ?? 0
  }

  private func tables() throws -> [MoveTable] {
    let rows = try shared.rows(
      """
      SELECT table_name::text AS "table", column_name::text AS name, data_type::text AS type,
        pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
      FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name <> 'schema_migrations'
      ORDER BY 1, ordinal_position
      """)
    let columns = try rows.map { row in
      let (table, name, type) = (try row.text("table"), try row.text("name"), try row.text("type"))
      guard let known = PostgresType(named: type) else {
        throw MoveError.unknownType(column: "\(table).\(name)", type: type)
      }
      return (table, MoveTable.Column(name: name, type: known, sequence: try row.optionalText("sequence")))
    }
    return Dictionary(grouping: columns, by: \.0).map { MoveTable(name: $0, columns: $1.map(\.1)) }
      .sorted { $0.name < $1.name }
  }
}
