import PostgresClient
import StoreBase

/// A table that is copied, with the types that its columns have in PostgreSQL.
struct MoveTable {
  struct Column {
    let name: String
    let type: PostgresType
    /// The sequence that numbers new rows.
    let sequence: String?
  }

  let name: String
  let columns: [Column]

  /// The columns' names in SQL of both engines.
  var columnList: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

  /// The parameter for a value of a column.
  func parameter(_ value: SQLValue, column: Column) throws -> PostgresParameter {
    switch (value, column.type) {
    case (.null, let type): .null(type)
    case (.integer(let number), .integer): .integer(number)
    case (.integer(let number), .bool) where number == 0 || number == 1: .bool(number == 1)
    case (.text(let text), .text): .text(text)
    case (.blob(let bytes), .bytes): .bytes(bytes)
    default: throw MoveError.wrongType(column: "\(name).\(column.name)")
    }
  }
}

extension PostgresType {
  /// A type by its name in `information_schema`; nil for one that no table of the store has.
  init?(named name: String) {
    switch name {
    case "bigint", "integer": self = .integer
    case "text": self = .text
    case "bytea": self = .bytes
    case "boolean": self = .bool
    default: return nil
    }
  }
}
