public import Foundation
import PostgresClient
public import StoreBase

/// Puts a copy that ``PostgresBackup`` has written into an empty database.
///
/// The table of the applied migrations comes last, in a transaction of its own. Until it is there no program takes the
/// database for a store's: a restore that is cut short leaves none that serves with the cursors of before the backup.
public struct PostgresRestore: Sendable {
  private let url: PostgresURL
  private let newest: Int
  private let random: any RandomSource
  private let beforeLastStep: @Sendable () throws -> Void

  /// - Parameter url: the address of a database without tables.
  public init(
    into url: PostgresURL, migrations: [Migration] = Migration.all, random: any RandomSource = SystemRandom()
  ) {
    self.init(into: url, migrations: migrations, random: random) {}
  }

  /// - Parameter beforeLastStep: may throw, which cuts the restore short.
  init(
    into url: PostgresURL, migrations: [Migration] = Migration.all, random: any RandomSource = SystemRandom(),
    beforeLastStep: @escaping @Sendable () throws -> Void
  ) {
    self.url = url
    newest = MigrationPlan(migrations).newest
    self.random = random
    self.beforeLastStep = beforeLastStep
  }

  /// Reads the backup to its end, puts it into the database, lets every device's sync start over, and suspends charges.
  ///
  /// - Parameter now: begins the new epoch.
  public func put(_ path: String, now: Date) throws -> DatabaseRestore.Outcome {
    guard StoreFile(path).exists else { throw DatabaseCopyError.missing(path) }
    let address = try PostgresAddress(url.text)
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let dump = PostgresDump(path, folder: folder)
    let schema = try dump.schema()
    guard schema <= newest else { throw DatabaseOpenError.newerVersion(path: path, found: schema, known: newest) }
    let contents = try dump.contents(without: PostgresDump.migrationsTable)
    try requireEmpty(address)
    let options = ["--single-transaction", "--no-owner", "--no-privileges", "--no-password", address.argument]
    try PostgresTool("pg_restore").run(
      options + ["--use-list=\(contents.path(percentEncoded: false))", path], at: address)
    try SyncCursors.renew(at: url, now: now, random: random, suspendsCharges: true)
    try beforeLastStep()
    try PostgresTool("pg_restore").run(
      options + ["--data-only", "--table=\(PostgresDump.migrationsTable)", path], at: address)
    let copy = DatabaseCopy(schema: schema, size: StoreFile(path).size)
    return DatabaseRestore.Outcome(copy: copy, isOlder: schema < newest, kept: nil)
  }

  private func requireEmpty(_ address: PostgresAddress) throws {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    guard try PostgresSQLConnection(connection).tableNames().isEmpty else {
      throw DatabaseCopyError.notEmpty("\(address)")
    }
  }

  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-restore-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return folder
  }
}

extension PostgresAddress {
  /// The argument that names the database; all else is in the variables.
  fileprivate var argument: String {
    let name = (database ?? "").replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    return "--dbname=dbname='\(name)'"
  }
}
