import Foundation

/// Finds the number that no integer field can hold. `JSONDecoder` reports such a number without its field.
indirect enum JSONNumbers: Decodable {
  case object([String: JSONNumbers])
  case list([JSONNumbers])
  case integer
  case fraction
  case other

  init(from decoder: any Decoder) throws {
    if let members = try? [String: JSONNumbers](from: decoder) {
      self = .object(members)
    } else if let elements = try? [JSONNumbers](from: decoder) {
      self = .list(elements)
    } else {
      let value = try decoder.singleValueContainer()
      let isNumber = (try? value.decode(Double.self)) != nil
      self = !isNumber ? .other : (try? value.decode(Int64.self)) != nil ? .integer : .fraction
    }
  }

  /// Names the field of the first number that is no integer of 64 bits; nil when the error is of another field, or
  /// when the text is no JSON or has no such number.
  static func fault(in body: Data, _ error: DecodingError) -> String? {
    guard case .dataCorrupted(let context) = error,
      let path = try? JSONDecoder().decode(JSONNumbers.self, from: body).pathOfFraction,
      context.codingPath.isEmpty || context.codingPath.map(\.stringValue) == path
    else { return nil }
    return "Expected an integer in the field \(path.joined(separator: "."))."
  }

  private var pathOfFraction: [String]? {
    switch self {
    case .object(let members):
      members.sorted { $0.key < $1.key }.lazy.compactMap { name, value in value.pathOfFraction.map { [name] + $0 } }
        .first
    case .list(let elements):
      elements.enumerated().lazy.compactMap { index, value in value.pathOfFraction.map { ["\(index)"] + $0 } }.first
    case .fraction: []
    case .integer, .other: nil
    }
  }
}
