import Foundation

/// A value of JSON.
enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(Int64)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  /// A text, or null.
  static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
  /// A number, or null.
  static func optional(_ number: Int64?) -> JSON { number.map { .number($0) } ?? .null }
  /// A time in seconds, as Stripe writes it.
  static func time(_ date: Date) -> JSON { .number(date.stripeTime) }
  /// Texts by name.
  static func texts(_ members: [String: String]) -> JSON { .object(members.mapValues { .text($0) }) }

  /// The bytes of the value, names sorted.
  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("every value can be written") }
    return Array(data)
  }

  /// A member of an object.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }
}

extension JSON: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int64) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSON...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Dictionary(elements) { $1 }) }
  init(nilLiteral: ()) { self = .null }
}

extension Date {
  /// Seconds since 1970.
  var stripeTime: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
