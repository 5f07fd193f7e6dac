public import Foundation

/// One value of a database: what a parameter may be and what a column may hold. Times are milliseconds since 1970,
/// money is minor units: there is no floating point in the database.
public enum SQLValue: Sendable, Hashable {
  /// No value.
  case null
  /// A whole number, a time in milliseconds, or a truth value (0 or 1).
  case integer(Int64)
  /// Text in UTF-8.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension SQLValue {
  /// The time as milliseconds since 1970.
  public static func date(_ date: Date) -> SQLValue { .integer(date.millisecondsSince1970) }

  /// The time as milliseconds since 1970, or null.
  public static func date(_ date: Date?) -> SQLValue { date.map { .date($0) } ?? .null }

  /// Text, or null.
  public static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

  /// A whole number.
  public static func integer(_ number: Int) -> SQLValue { .integer(Int64(number)) }

  /// 1 for true, 0 for false.
  public static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Null.
  public init(nilLiteral: ()) { self = .null }
}

extension Date {
  /// Milliseconds since 1970, rounded to the nearest: what the database keeps.
  public var millisecondsSince1970: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  /// The time that the database keeps as milliseconds since 1970.
  public init(millisecondsSince1970 milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
