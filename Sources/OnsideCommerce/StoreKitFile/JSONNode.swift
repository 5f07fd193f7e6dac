/// A JSON value as it is written: numbers keep their digits, and everything knows where in the text it begins.
struct JSONNode: Sendable, Hashable {
  enum Value: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([String: JSONNode])
  }

  let value: Value
  /// The byte at which the value begins.
  let offset: Int

  /// True when leaving this out loses nothing: null, or something without content.
  var isEmpty: Bool {
    switch value {
    case .null: true
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    case .string(let text): text.isEmpty
    case .bool, .number: false
    }
  }

  /// What the value is, for errors.
  var description: String {
    switch value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(let digits): "the number \(digits)"
    case .string(let text): "\"\(text)\""
    case .array: "a list"
    case .object: "an object"
    }
  }
}
