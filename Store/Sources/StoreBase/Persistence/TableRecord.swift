import Synchronization

/// Columns of one table, each with its value.
package typealias Columns = KeyValuePairs<String, SQLValue>

/// A row of one table that names each column once, beside its value. It writes itself with statements for both engines:
///
/// ```swift
/// private struct NoteColumns: TableRecord {
///   static let table = "notes"
///   let note: Note
///
///   var key: Columns { ["id": .text(note.id)] }
///   var fixed: Columns { ["created_at": .date(note.createdAt)] }
///   var mutable: Columns { ["text": .text(note.text)] }
/// }
///
/// try NoteColumns(note: note).save(in: transaction)
/// ```
///
/// The text of a statement is built once for each type. Therefore all values of a type must have the same columns in
/// the same order.
package protocol TableRecord {
  /// The name of the table.
  static var table: String { get }
  /// Expressions that an update assigns instead of the plain value, by column; `$` stands for the value.
  static var expressions: [String: String] { get }
  /// The primary key or another unique key, which identifies the row.
  var key: Columns { get }
  /// Other columns that only insertions write.
  var fixed: Columns { get }
  /// Columns that insertions and updates write.
  var mutable: Columns { get }
  /// Columns that only updates write; an insertion leaves their defaults.
  var updated: Columns { get }
}

extension TableRecord {
  package static var expressions: [String: String] { [:] }
  package var fixed: Columns { [:] }
  package var mutable: Columns { [:] }
  package var updated: Columns { [:] }

  /// Inserts the row.
  package func insert(in connection: any SQLConnection) throws(StorageError) {
    try connection.execute(text(.insert), Self.values(of: [key, fixed, mutable]))
  }

  /// Inserts the row, unless there is one with its key. Returns true if the row was inserted.
  package func insertIfAbsent(in connection: any SQLConnection) throws(StorageError) -> Bool {
    try connection.execute(text(.insertIfAbsent), Self.values(of: [key, fixed, mutable])) > 0
  }

  /// Inserts the row, or writes its ``mutable`` columns to the row with its key. The type must have such columns, none
  /// with one of its ``expressions``.
  package func save(in connection: any SQLConnection) throws(StorageError) {
    try connection.execute(text(.save), Self.values(of: [key, fixed, mutable]))
  }

  /// Writes the ``mutable`` and ``updated`` columns to the row with its key. The type must have such columns.
  package func update(in connection: any SQLConnection) throws(StorageError) {
    try connection.execute(text(.update), Self.values(of: [mutable, updated, key]))
  }

  private static func values(of groups: [Columns]) -> [SQLValue] {
    var values: [SQLValue] = []
    values.reserveCapacity(groups.reduce(0) { $0 + $1.count })
    for group in groups {
      for column in group { values.append(column.value) }
    }
    return values
  }

  private static func names(of groups: [Columns]) -> [String] {
    var names: [String] = []
    for group in groups {
      for column in group { names.append(column.key) }
    }
    return names
  }

  private func text(_ kind: RecordStatement.Kind) -> String {
    let statement = RecordStatement(record: ObjectIdentifier(Self.self), kind: kind)
    if let text = RecordStatement.texts.withLock({ $0[statement] }) { return text }
    let text = newText(kind)
    RecordStatement.texts.withLock { $0[statement] = text }
    return text
  }

  private func newText(_ kind: RecordStatement.Kind) -> String {
    switch kind {
    case .insert: return insertText
    case .insertIfAbsent: return "\(insertText) \(conflictText) DO NOTHING"
    case .save:
      let columns = Self.names(of: [mutable])
      assert(!columns.isEmpty, "\(Self.self) has no mutable column to save; insertIfAbsent suits it")
      assert(!columns.contains { Self.expressions[$0] != nil }, "\(Self.self) has expressions, which no save assigns")
      let assignments = columns.map { "\($0) = excluded.\($0)" }
      return "\(insertText) \(conflictText) DO UPDATE SET \(assignments.joined(separator: ", "))"
    case .update: return updateText
    }
  }

  private var insertText: String {
    let names = Self.names(of: [key, fixed, mutable])
    let places = names.indices.map { "$\($0 + 1)" }
    return "INSERT INTO \(Self.table)(\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
  }

  private var conflictText: String { "ON CONFLICT(\(Self.names(of: [key]).joined(separator: ", ")))" }

  private var updateText: String {
    let columns = Self.names(of: [mutable, updated])
    assert(!columns.isEmpty, "\(Self.self) has no column to update")
    let assignments = columns.enumerated().map { index, name -> String in
      let place = "$\(index + 1)"
      let value = Self.expressions[name]?.replacing("$", with: place) ?? place
      return "\(name) = \(value)"
    }
    let conditions = Self.names(of: [key]).enumerated().map { index, name -> String in
      "\(name) = $\(columns.count + index + 1)"
    }
    let condition = conditions.joined(separator: " AND ")
    return "UPDATE \(Self.table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
  }
}

/// A statement of a type of records.
private struct RecordStatement: Hashable {
  enum Kind { case insert, insertIfAbsent, save, update }

  /// The texts that were built.
  static let texts = Mutex<[RecordStatement: String]>([:])

  let record: ObjectIdentifier
  let kind: Kind
}
