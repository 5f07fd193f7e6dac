import Foundation

/// A file in pg_dump's custom format.
struct PostgresDump {
  private let path: String
  private let notes: URL

  /// - Parameter notes: a folder for what `pg_restore` says of it.
  init(_ path: String, notes: URL) {
    self.path = path
    self.notes = notes
  }

  /// The newest migration in it.
  func schema() throws -> Int {
    let rows = try note("migrations", ["--data-only", "--table=schema_migrations"])
    let numbers = rows.split(separator: "\n").compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
    guard let newest = numbers.max() else { throw DatabaseCopyError.notADump(path) }
    return newest
  }

  /// A list of all that it holds but the rows of a table, as `pg_restore` reads it.
  func contents(without table: String) throws -> URL {
    let lines = try note("contents", ["--list"]).split(separator: "\n")
    let kept = lines.filter { !$0.contains(" TABLE DATA ") || !$0.split(separator: " ").contains(Substring(table)) }
    guard kept.count == lines.count - 1 else { throw DatabaseCopyError.notADump(path) }
    let file = notes.appending(path: "kept")
    try kept.joined(separator: "\n").write(to: file, atomically: false, encoding: .utf8)
    return file
  }

  private func note(_ name: String, _ options: [String]) throws -> String {
    let file = notes.appending(path: name)
    try PostgresTool("pg_restore").run(options + ["--file=\(file.path(percentEncoded: false))", path])
    return try String(contentsOf: file, encoding: .utf8)
  }
}
