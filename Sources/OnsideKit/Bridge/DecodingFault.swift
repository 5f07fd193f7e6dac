import Foundation

/// A decoding error in the terms of JavaScript: where it is and what is not there, without the decoded values.
struct DecodingFault: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error as? DecodingError {
      case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
        "\(Self.place(context.codingPath)) is not \(Self.word(for: type))"
      case .keyNotFound(let key, let context): "\(Self.place(context.codingPath + [key])) is missing"
      case .dataCorrupted(let context): "\(Self.place(context.codingPath)) is not valid"
      default: "the value is not valid"
      }
  }

  private static func word(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "a boolean"
    case is any BinaryInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type, is Decimal.Type: "a number"
    // What a decoder names where it expects an array or an object.
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    default: "valid"
    }
  }

  /// For example `` `events[0].name` ``.
  private static func place(_ path: [any CodingKey]) -> String {
    let keys = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return keys.isEmpty ? "the value" : "`\(keys.joined(separator: ".").replacing(".[", with: "["))`"
  }
}
