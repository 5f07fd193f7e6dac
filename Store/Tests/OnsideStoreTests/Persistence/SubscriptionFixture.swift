import Foundation
import OnsideAPI
import StoreTestSupport

@testable import OnsideStore
@testable import StoreBase

/// The data of a store of schema 321 that has subscriptions of every kind, as SQL that both engines read. The program
/// of that schema has written it (``FixtureShop``); no later one can.
enum SubscriptionFixture {
  /// The newest migration of the program that has written it.
  static let schema = 321
  static let path = "Store/Tests/OnsideStoreTests/Persistence/Fixtures/subscriptions-\(schema).sql"

  private static let head = """
    -- The data of a store with subscriptions of every kind, written by the program of schema \(schema): see FixtureShop.
    -- Its keys are those of a test; nobody uses them. Not to be edited, nor written by a later program.

    """

  /// Makes a database of that schema, with the data.
  static func write(to engine: TestEngine, in folder: TemporaryFolder) async throws {
    let database = try await engine.open(in: folder, OlderStore.migrations(upTo: schema))
    let statements = try Repository.text(path).components(separatedBy: ";\n").filter { !$0.isEmpty }
    try await database.write { connection in
      for statement in statements { try connection.execute(engine == .sqlite ? statement : bytea(statement)) }
      if engine != .sqlite {
        for table in try connection.dataTables() { try OlderStore.countOn(table, in: connection) }
      }
    }
    await database.close()
  }

  /// A statement with its bytes as PostgreSQL writes them.
  private static func bytea(_ statement: String) -> String {
    statement.replacing(/([(,] ?)X'([0-9a-f]+)'/) { "\($0.1)'\\x\($0.2)'" }
  }

  /// All data of a SQLite database as statements, one for each table.
  static func text(of database: any Database) async throws -> String {
    try await database.read { connection in
      try connection.dataTables().sorted().reduce(head) { text, table in
        let columns = try connection.rows("SELECT name FROM pragma_table_info('\(table)')").map { try $0.text("name") }
        let order = (1...columns.count).map(String.init).joined(separator: ", ")
        let rows = try connection.rows("SELECT * FROM \(table) ORDER BY \(order)").map { row in
          "(\(columns.map { literal(row[$0]) }.joined(separator: ", ")))"
        }
        guard !rows.isEmpty else { return text }
        return text
          + "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES\n\(rows.joined(separator: ",\n"));\n"
      }
    }
  }

  private static func literal(_ value: SQLValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    case .blob(let bytes): "X'\(Hexadecimal.encode(bytes))'"
    }
  }
}
