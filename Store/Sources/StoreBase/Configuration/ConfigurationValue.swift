/// A value as it was given: the file has types, the environment and the flags have only text.
package enum ConfigurationValue: Sendable, Equatable {
  case text(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  /// Something of the file that no key takes, in its own words.
  case other(String)
  /// From the environment or a flag.
  case untyped(String)

  /// The value as a message shows it.
  package var shown: String {
    switch self {
    case .text(let text), .untyped(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .other(let words): words
    }
  }

  package var text: String? {
    switch self {
    case .text(let text), .untyped(let text): text
    default: nil
    }
  }

  package var integer: Int? {
    switch self {
    case .integer(let number): number
    case .untyped(let text): Int(text)
    default: nil
    }
  }

  package var number: Double? {
    switch self {
    case .number(let number): number
    case .integer(let number): Double(number)
    case .untyped(let text): Double(text)
    default: nil
    }
  }

  package var boolean: Bool? {
    switch self {
    case .boolean(let flag): flag
    case .untyped("true"): true
    case .untyped("false"): false
    default: nil
    }
  }
}
