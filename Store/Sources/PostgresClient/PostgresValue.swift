/// A value of a row.
public enum PostgresValue: Sendable, Hashable {
  /// No value.
  case null
  /// `bool`.
  case bool(Bool)
  /// `int2`, `int4`, `int8` and `oid`.
  case integer(Int64)
  /// `float4` and `float8`.
  case double(Double)
  /// `numeric`, in decimal: what `sum` makes of `int8`, for example.
  case numeric(String)
  /// `text`, and each type that has no case of its own, as the server prints it.
  case text(String)
  /// `bytea`.
  case bytes([UInt8])
}

/// The rows of an answer.
public struct PostgresResult: Sendable {
  /// The names of the columns.
  public let columns: [String]
  /// The values of each row, in the order of the columns.
  public let rows: [[PostgresValue]]
  /// How many rows the statement inserted, changed, deleted or returned.
  public let affected: Int
  /// What the server calls the statement, such as `SELECT` or `INSERT`.
  public let command: String
}
