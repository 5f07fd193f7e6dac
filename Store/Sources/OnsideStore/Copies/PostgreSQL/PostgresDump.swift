import Foundation
import StoreBase

/// A file in pg_dump's custom format.
struct PostgresDump {
  /// The table that tells a store's database from others.
  static let migrationsTable = "schema_migrations"

  private let path: String
  private let folder: URL

  /// - Parameter folder: for what `pg_restore` extracts.
  init(_ path: String, folder: URL) {
    self.path = path
    self.folder = folder
  }

  /// The newest migration in it.
  func schema() throws -> Int {
    let rows = try extract(["--data-only", "--table=\(Self.migrationsTable)"], to: "migrations")
    let numbers = rows.split(separator: "\n").compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
    guard let newest = numbers.max() else { throw DatabaseCopyError.notADump(path) }
    return newest
  }

  /// A list of all that it holds but the rows of a table, as `pg_restore` reads it.
  func contents(without table: String) throws -> URL {
    let lines = try extract(["--list"], to: "contents").split(separator: "\n")
    let kept = lines.filter { !$0.contains(" TABLE DATA ") || !$0.split(separator: " ").contains(Substring(table)) }
    guard kept.count == lines.count - 1 else { throw DatabaseCopyError.notADump(path) }
    let file = folder.appending(path: "kept")
    try kept.joined(separator: "\n").write(to: file, atomically: false, encoding: .utf8)
    return file
  }

  private func extract(_ options: [String], to name: String) throws -> String {
    let file = folder.appending(path: name)
    try PostgresTool("pg_restore").run(options + ["--file=\(file.path(percentEncoded: false))", path])
    return try String(contentsOf: file, encoding: .utf8)
  }
}
