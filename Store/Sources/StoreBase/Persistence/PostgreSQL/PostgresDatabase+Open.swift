public import Foundation
import PostgresClient

extension PostgresDatabase {
  /// Opens the store's database, which has to exist, and brings its tables up to date. A foreign or newer database is
  /// refused before anything is changed. Of several processes that open it at the same time, one migrates.
  ///
  /// - Parameters:
  ///   - url: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; several hosts are separated by commas.
  ///   - olderSchema: whether the tables are brought up to date.
  ///   - makesTables: whether a database without tables gets them; otherwise it is refused.
  ///   - longReads: whether a read may take as long as it needs.
  ///   - statementTimeout: the timeout of a statement, and of a pause in a transaction.
  public static func open(
    at url: String, migrations: [Migration], now: Date, olderSchema: OlderSchema = .migrate,
    makesTables: Bool = true, longReads: Bool = false, statementTimeout: Duration = .seconds(10)
  ) throws -> PostgresDatabase {
    let plan = MigrationPlan(migrations) { $0.postgres }
    var name = "PostgreSQL"
    do {
      let address = try PostgresAddress(url)
      name = "\(address)"
      let schema = PostgresSchema(address: address, plan: plan)
      let change = try schema.prepare(now: now, olderSchema: olderSchema, makesTables: makesTables)
      return PostgresDatabase(
        address, schemaChange: change, longReads: longReads, statementTimeout: statementTimeout)
    } catch let error as PostgresError {
      throw DatabaseOpenError.unreadable(path: name, reason: "\(error)")
    } catch let error as StorageError {
      throw DatabaseOpenError.unreadable(path: name, reason: "\(error)")
    }
  }
}
