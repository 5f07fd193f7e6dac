@testable import OnsideStore

extension SQLConnection {
  /// The tables of a SQLite file that hold a store's data: all but that of the migrations.
  func dataTables() throws -> [String] {
    try rows("SELECT name FROM sqlite_master WHERE type = 'table'").map { try $0.text("name") }
      .filter { $0 != "schema_migrations" && !$0.hasPrefix("sqlite_") }
  }
}
