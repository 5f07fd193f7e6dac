import Foundation
import OnsideStore

/// The statements that the store sends for one purchase, as PostgreSQL's log has them.
struct StatementLog {
  /// One statement, with its parameters in their places.
  enum Entry: Equatable {
    case begin
    /// COMMIT or ROLLBACK.
    case end
    case statement(String)
  }

  /// A line of PostgreSQL's log in JSON (`log_destination = jsonlog`).
  private struct Line: Decodable {
    let dbname: String?
    let message: String?
    let detail: String?
  }

  /// What the server needs to write such a log of the databases that ask for it.
  static let configuration = """
    logging_collector = on
    log_destination = jsonlog
    log_directory = 'log'
    log_filename = 'statements'
    """

  let entries: [Entry]

  /// Reads what a log has of a database: statements with parameters, and the begins and ends of transactions.
  init(_ file: URL, database: String) throws {
    entries = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).flatMap { text -> [Entry] in
      guard let line = try? JSONDecoder().decode(Line.self, from: text), line.dbname == database else { return [] }
      return Self.entries(line)
    }
  }

  private init(entries: [Entry]) { self.entries = entries }

  /// The transactions that name an order.
  func transactions(of order: String) -> StatementLog {
    var found: [Entry] = []
    var current: [Entry] = []
    for entry in entries {
      switch entry {
      case .begin: current = []
      case .statement: current.append(entry)
      case .end:
        let names = current.contains { if case .statement(let sql) = $0 { sql.contains(order) } else { false } }
        if names { found += [.begin] + current + [.end] }
        current = []
      }
    }
    return StatementLog(entries: found)
  }

  private static func entries(_ line: Line) -> [Entry] {
    guard let message = line.message else { return [] }
    if message.hasPrefix("statement: ") { return script(message.dropFirst("statement: ".count)) }
    guard message.hasPrefix("execute "), let colon = message.firstRange(of: ": ") else { return [] }
    return [.statement(filled(String(message[colon.upperBound...]), with: line.detail ?? ""))]
  }

  /// What begins and ends transactions. The store's locks and savepoints are its own: 64 clients need none.
  private static func script(_ text: Substring) -> [Entry] {
    text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.compactMap { statement in
      if statement.hasPrefix("BEGIN") { return .begin }
      if statement == "COMMIT" || statement == "ROLLBACK" { return .end }
      return nil
    }
  }

  /// `detail`: `parameters: $1 = 'text', $2 = NULL`; quotes inside a text are doubled. A colon is followed by a quote,
  /// because pgbench takes a colon and a word for a variable, also inside a text.
  private static func filled(_ sql: String, with detail: String) -> String {
    var values: [Int: String] = [:]
    for match in detail.matches(of: /\$([0-9]+) = ('(?:[^']|'')*'|NULL)/) {
      values[Int(match.1) ?? 0] = String(match.2).replacing(":", with: ":' || '")
    }
    return sql.replacing(/\$([0-9]+)/) { match in values[Int(match.1) ?? 0] ?? String(match.0) }
  }
}
