public import Foundation

/// One row of an answer. Columns are asked by name; a column that holds something else than asked for is a
/// ``StorageError/unexpectedValue(column:expected:)``.
public struct SQLRow: Sendable {
  private let columns: [String]
  private let values: [SQLValue]

  /// A row: names and values have the same order and length.
  public init(columns: [String], values: [SQLValue]) {
    self.columns = columns
    self.values = values
  }

  /// The value of a column. Asking for a column that the query does not name is a programmer error.
  public subscript(column: String) -> SQLValue {
    guard let index = columns.firstIndex(of: column) else {
      preconditionFailure("The query has no column \(column); it has \(columns.joined(separator: ", "))")
    }
    return values[index]
  }

  /// Every column with its value, in the query's order.
  package var fields: [(name: String, value: SQLValue)] { Array(zip(columns, values)) }

  /// A whole number.
  public func integer(_ column: String) throws(StorageError) -> Int64 {
    guard case .integer(let value) = self[column] else { throw unexpected(column, expected: "a whole number") }
    return value
  }

  /// A whole number, or nil for null.
  public func optionalInteger(_ column: String) throws(StorageError) -> Int64? {
    self[column] == .null ? nil : try integer(column)
  }

  /// Text.
  public func text(_ column: String) throws(StorageError) -> String {
    guard case .text(let value) = self[column] else { throw unexpected(column, expected: "text") }
    return value
  }

  /// Text, or nil for null.
  public func optionalText(_ column: String) throws(StorageError) -> String? {
    self[column] == .null ? nil : try text(column)
  }

  /// Bytes.
  public func blob(_ column: String) throws(StorageError) -> [UInt8] {
    guard case .blob(let value) = self[column] else { throw unexpected(column, expected: "bytes") }
    return value
  }

  /// Bytes, or nil for null.
  public func optionalBlob(_ column: String) throws(StorageError) -> [UInt8]? {
    self[column] == .null ? nil : try blob(column)
  }

  /// A truth value, kept as 0 or 1.
  public func bool(_ column: String) throws(StorageError) -> Bool { try integer(column) != 0 }

  /// A time, kept as milliseconds since 1970.
  public func date(_ column: String) throws(StorageError) -> Date {
    Date(millisecondsSince1970: try integer(column))
  }

  /// A time, or nil for null.
  public func optionalDate(_ column: String) throws(StorageError) -> Date? {
    try optionalInteger(column).map { Date(millisecondsSince1970: $0) }
  }

  /// A UUID, kept as text.
  public func uuid(_ column: String) throws(StorageError) -> UUID {
    guard let uuid = UUID(text: try text(column)) else { throw unexpected(column, expected: "a UUID") }
    return uuid
  }

  /// A UUID, or nil for null.
  public func optionalUUID(_ column: String) throws(StorageError) -> UUID? {
    self[column] == .null ? nil : try uuid(column)
  }

  private func unexpected(_ column: String, expected: String) -> StorageError {
    .unexpectedValue(column: column, expected: expected)
  }
}
