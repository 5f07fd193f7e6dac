import Foundation
import PostgresClient
import StoreBase

/// The PostgreSQL database that a store is moved to. All that happens in it is one transaction.
struct MoveTarget {
  private static let setting = "moved_from"
  private static let fetchedRows = 200

  private let server: PostgresAddress
  private let session: PostgresConnection
  let connection: PostgresSQLConnection
  /// The address without its password.
  let address: String

  /// Connects, begins the transaction and takes the writers' lock.
  init(_ url: PostgresURL) throws {
    server = try PostgresAddress(url.text)
    address = "\(server)"
    // The transaction waits for the file.
    session = try PostgresConnection(server, settings: PostgresSettings(idleTransactionTimeout: .zero))
    connection = PostgresSQLConnection(session)
    try connection.begin()
  }

  /// Rolls back what was not committed.
  func close() { session.close() }

  /// Whether a move of that name has put its data there.
  func holds(_ token: String) throws -> Bool {
    guard try connection.tableNames().contains("settings") else { return false }
    return try StoreSettings(connection: connection).value(Self.setting) == token
  }

  /// Runs a closure whose statements may take as long as they need.
  func withoutTimeout<T>(_ body: () throws -> T) throws -> T { try session.withoutTimeout(body) }

  /// Says in the database that this move has begun, before its data can be seen.
  func announce(_ token: String) throws { try BegunMove.write(token, at: server) }

  /// Takes back what ``announce(_:)`` has said, as far as the server answers: no commit has taken place.
  func withdraw(_ token: String) {
    session.close()
    try? BegunMove.remove(token, at: server)
  }

  /// Commits the data. From then on stores may serve from it.
  func commit() throws {
    try connection.execute("DROP TABLE \(BegunMove.table)")
    try connection.commit()
  }

  /// Makes the tables in a database that has none.
  func makeTables(_ plan: MigrationPlan, now: Date) throws -> [MoveTable] {
    let found = try connection.tableNames().filter { $0 != BegunMove.table }
    guard found.isEmpty else { throw MoveError.targetInUse(target: address, tables: found.count) }
    try plan.apply(to: connection, now: now) { try session.run(script: $0) }
    return try tables()
  }

  /// Copies a table. Rows that the migrations have written are the file's, too, and come with it. Returns the digest of
  /// what was read.
  func copy(_ table: MoveTable, from source: MoveSource) throws -> TableDigest {
    if try count(of: table) > 0 { try connection.execute("DELETE FROM \"\(table.name)\"") }
    var digest = TableDigest()
    var writer = TableWriter(table, session)
    try source.connection.forEachRow(of: "SELECT \(table.columnList) FROM \"\(table.name)\"") { values in
      digest.add(values)
      try writer.write(values)
    }
    try writer.flush()
    for column in table.columns { try advanceSequence(of: column, in: table) }
    return digest
  }

  /// The digest of a table as the database has it.
  func digest(of table: MoveTable) throws -> TableDigest {
    let cursor = "\"moved_\(table.name)\""
    try session.run(
      script: "DECLARE \(cursor) NO SCROLL CURSOR FOR SELECT \(table.columnList) FROM \"\(table.name)\"")
    var digest = TableDigest()
    while true {
      let rows = try connection.rows("FETCH \(Self.fetchedRows) FROM \(cursor)")
      guard !rows.isEmpty else { break }
      for row in rows { digest.add(row.fields.map(\.value)) }
    }
    try session.run(script: "CLOSE \(cursor)")
    return digest
  }

  /// Tells the planner what the tables hold: otherwise its first plans would read them whole.
  func analyze() throws { try session.run(script: "ANALYZE") }

  /// Writes the move's token into the data, without the mark that the file may have of an earlier try.
  func recordToken(_ token: String) throws {
    try MovedMark.remove(from: connection)
    try StoreSettings(connection: connection).set(Self.setting, to: token)
  }

  /// The number of the next row is greater than that of each copied one.
  private func advanceSequence(of column: MoveTable.Column, in table: MoveTable) throws {
    guard let sequence = column.sequence else { return }
    _ = try connection.rows(
      """
      SELECT setval('\(sequence)'::regclass, coalesce(max("\(column.name)"), 0) + 1, false) AS next
      FROM "\(table.name)"
      """)
  }

  private func count(of table: MoveTable) throws -> Int64 {
    try connection.row("SELECT count(*) AS count FROM \"\(table.name)\"")?.integer("count") ?? 0
  }

  private func tables() throws -> [MoveTable] {
    let rows = try connection.rows(
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
