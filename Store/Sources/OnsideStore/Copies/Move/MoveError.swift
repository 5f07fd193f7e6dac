/// Why a store was not moved. Unless the text says something else, nothing was changed.
public enum MoveError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The target has tables.
  case targetInUse(target: String, tables: Int)
  /// Texts that PostgreSQL cannot keep.
  case nullCharacters([String])
  /// The tables of the two databases are not the same.
  case otherTables(missing: [String], unknown: [String])
  /// A column of the target has a type that the move does not know.
  case unknownType(column: String, type: String)
  /// A row of the file holds a value of another type than its column in the target.
  case wrongType(column: String)
  /// What the target has of a table is not what the file has.
  case otherRows(table: String, expected: Int, found: Int)
  /// The books of the target say something else than those of the file.
  case reconciliationDiffers([String])
  /// A move to another database was cut short in its last step.
  case begunElsewhere(path: String, target: String)
  /// There is no move that could be taken back.
  case notBegun(path: String)
  /// The answer to the last step did not come.
  case outcomeUnknown(path: String, reason: String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .targetInUse(let target, let tables):
      """
      expected \(target) to be an empty database, but it has \(tables) tables. Nothing was changed. Make a new one \
      (createdb), or give another address.
      """
    case .nullCharacters(let places):
      """
      expected texts without U+0000, which PostgreSQL cannot keep, but the database has it in \
      \(places.joined(separator: "; ")). Nothing was changed. Remove it there, with the store stopped.
      """
    case .otherTables(let missing, let unknown):
      """
      expected the same tables and columns in both databases, but the file lacks \(Self.list(missing)) and has \
      \(Self.list(unknown)) besides. Nothing was changed.
      """
    case .unknownType(let column, let type):
      "expected a type that can be copied, but \(column) is \(type) in PostgreSQL. Nothing was changed."
    case .wrongType(let column):
      "expected values of the column's type in \(column), but the file has another one. Nothing was changed."
    case .otherRows(let table, let expected, let found):
      """
      expected the copy of \(table) to have the same \(expected) rows, but its \(found) rows are others. Nothing was \
      changed.
      """
    case .reconciliationDiffers(let faults):
      "the copy's ledger does not agree with the file's: \(faults.joined(separator: "; ")). Nothing was changed."
    case .begunElsewhere(let path, let target):
      """
      a move of \(path) to \(target) was cut short in its last step. Run `onside move` with that address; if that \
      database is lost for good, add --abandon --target-is-lost.
      """
    case .notBegun(let path):
      "expected \(path) to have the mark of a move, but it has none: it may be served. Nothing was changed."
    case .outcomeUnknown(let path, let reason):
      """
      it is not known whether the move has ended (\(reason)). Run the same command again: it finds out. Until then \
      \(path) is not served.
      """
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}
