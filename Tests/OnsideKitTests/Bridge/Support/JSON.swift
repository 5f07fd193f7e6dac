import Foundation

/// Any JSON, to look into what the bridge says.
enum JSON: Decodable, Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(_ text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self =
      if container.decodeNil() {
        .null
      } else if let bool = try? container.decode(Bool.self) {
        .bool(bool)
      } else if let number = try? container.decode(Double.self) {
        .number(number)
      } else if let string = try? container.decode(String.self) {
        .string(string)
      } else if let array = try? container.decode([JSON].self) {
        .array(array)
      } else {
        .object(try container.decode([String: JSON].self))
      }
  }

  subscript(_ key: String) -> JSON? { if case .object(let object) = self { object[key] } else { nil } }
  var items: [JSON] { if case .array(let items) = self { items } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var int: Int? { if case .number(let number) = self { Int(number) } else { nil } }
  var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
}
