import Foundation

/// The table of operators' acts. No row is deleted.
package enum AuditRecords {
  /// Maximum number of characters of a subject or an argument.
  private static let longestValue = 1000
  /// Maximum number of characters of an error.
  static let longestError = 2000

  /// Inserts a row, unless it is there: a commit may have succeeded although its writer got an error.
  static func insertIfAbsent(_ entry: AuditEntry, in transaction: StoreTransaction) throws {
    let subject = entry.act.subject.map { storable($0, limit: longestValue) }
    let columns = AuditColumns(entry: entry, subject: subject, arguments: try json(entry.act.arguments))
    _ = try columns.insertIfAbsent(in: transaction)
  }

  /// Adds an error to a row. Returns false if there is no such row.
  static func setIncomplete(_ id: String, error: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE audit SET outcome = $2, error = $3 WHERE id = $1",
      [.text(id), .text(AuditEntry.Outcome.incomplete.rawValue), .text(error)]) == 1
  }

  /// The newest rows of a choice, the newest first.
  package static func newest(_ filter: AuditFilter, in connection: any SQLConnection) throws -> [AuditEntry] {
    var conditions = ["1 = 1"]
    var values: [SQLValue] = [.integer(filter.limit)]
    if let since = filter.since {
      values.append(.date(since))
      conditions.append("acted_at >= $\(values.count)")
    }
    if let name = filter.operatorName {
      values.append(.text(name))
      conditions.append("operator = $\(values.count)")
    }
    if let act = filter.act {
      let prefix = act + " "
      values += [.text(act), .text(prefix)]
      let start = "substr(act, 1, \(prefix.unicodeScalars.count))"
      conditions.append("(act = $\(values.count - 1) OR \(start) = $\(values.count))")
    }
    return try connection.rows(
      """
      SELECT * FROM audit WHERE \(conditions.joined(separator: " AND ")) ORDER BY acted_at DESC, id DESC LIMIT $1
      """, values
    ).map(entry)
  }

  /// The text, shortened and without U+0000, which no database stores.
  static func storable(_ text: String, limit: Int) -> String {
    String(text.prefix(limit)).replacing("\0", with: "\u{FFFD}")
  }

  private static func json(_ arguments: [String: String]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let shortened = arguments.mapValues { storable($0, limit: longestValue) }
    return String(decoding: try encoder.encode(shortened), as: UTF8.self)
  }

  private static func entry(_ row: SQLRow) throws -> AuditEntry {
    guard let access = AuditedAct.Access(rawValue: try row.text("via")) else {
      throw StorageError.unexpectedValue(column: "via", expected: "a kind of access")
    }
    guard let outcome = AuditEntry.Outcome(rawValue: try row.text("outcome")) else {
      throw StorageError.unexpectedValue(column: "outcome", expected: "an outcome")
    }
    let arguments = try JSONDecoder().decode([String: String].self, from: Data(try row.text("arguments").utf8))
    let act = AuditedAct(
      try row.text("act"), of: try row.optionalText("subject"), by: try row.text("operator"), via: access,
      arguments: arguments)
    return AuditEntry(
      id: try row.text("id"), date: try row.date("acted_at"), act: act, outcome: outcome,
      error: try row.optionalText("error"))
  }
}

private struct AuditColumns: TableRecord {
  static let table = "audit"

  let entry: AuditEntry
  let subject: String?
  let arguments: String

  var key: Columns { ["id": .text(entry.id)] }
  var fixed: Columns {
    [
      "acted_at": .date(entry.date), "via": .text(entry.act.access.rawValue), "operator": .text(entry.act.operatorName),
      "act": .text(entry.act.name), "subject": .text(subject), "arguments": .text(arguments),
    ]
  }
  var mutable: Columns { ["outcome": .text(entry.outcome.rawValue), "error": .text(entry.error)] }
}
