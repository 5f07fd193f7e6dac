/// A parameter of a statement, with its type: a statement means the same whichever values it gets.
public enum PostgresParameter: Sendable, Hashable {
  /// No value of a type. Where the type is nil, the server infers it from where the parameter stands.
  case null(PostgresType?)
  /// `bool`.
  case bool(Bool)
  /// `int8`.
  case integer(Int64)
  /// `float8`.
  case double(Double)
  /// `text`. PostgreSQL cannot keep U+0000.
  case text(String)
  /// `bytea`.
  case bytes([UInt8])
}

/// A type of PostgreSQL.
public struct PostgresType: Sendable, Hashable {
  /// Its number in the catalogue `pg_type`.
  let oid: UInt32

  /// `bool`.
  public static let bool = PostgresType(oid: 16)
  /// `bytea`.
  public static let bytes = PostgresType(oid: 17)
  /// `int8`.
  public static let integer = PostgresType(oid: 20)
  /// `text`.
  public static let text = PostgresType(oid: 25)
  /// `float8`.
  public static let double = PostgresType(oid: 701)
}

extension PostgresParameter {
  /// The type; nil for a null whose type the server infers.
  var type: PostgresType? {
    switch self {
    case .null(let type): type
    case .bool: .bool
    case .integer: .integer
    case .double: .double
    case .text: .text
    case .bytes: .bytes
    }
  }
}

/// The values of parameters in PostgreSQL's binary format, one behind the other.
struct EncodedParameters {
  private(set) var bytes: [UInt8] = []
  /// Where each value is; nil for null.
  private(set) var ranges: [Range<Int>?] = []

  init(_ parameters: [PostgresParameter]) throws(PostgresError) {
    ranges.reserveCapacity(parameters.count)
    for (index, parameter) in parameters.enumerated() {
      let start = bytes.count
      if case .null = parameter {
        ranges.append(nil)
      } else {
        try append(parameter, number: index + 1)
        ranges.append(start..<bytes.count)
      }
    }
  }

  private mutating func append(_ parameter: PostgresParameter, number: Int) throws(PostgresError) {
    switch parameter {
    case .null: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .integer(let value): append(bigEndian: UInt64(bitPattern: value))
    case .double(let value): append(bigEndian: value.bitPattern)
    case .bytes(let value): bytes += value
    case .text(let value):
      let start = bytes.count
      bytes += value.utf8
      guard !bytes[start...].contains(0) else {
        throw PostgresError(
          .invalidValue, message: "expected text without U+0000, but parameter $\(number) contains it")
      }
    }
  }

  private mutating func append(bigEndian word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }
}
