/// An object of a file, with typed access that names the place of what is wrong.
struct JSONObject {
  /// What is wrong with one entry of a file.
  struct Problem: Error {
    let path: String
    let offset: Int
    let expected: String
    let found: String

    var reason: String { "expected \(expected), got \(found)" }
  }

  /// Where the object is, such as `products[2]`; empty for the whole file.
  let path: String
  let offset: Int
  let members: [String: JSONNode]

  init(_ node: JSONNode, path: String) throws(Problem) {
    guard case .object(let members) = node.value else {
      throw Problem(path: path, offset: node.offset, expected: "an object", found: node.description)
    }
    self.path = path
    self.offset = node.offset
    self.members = members
  }

  func path(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// A problem with the value of a key, or with the object when the key is missing.
  func problem(_ key: String, expected: String) -> Problem {
    guard let node = members[key] else {
      return Problem(path: path, offset: offset, expected: "\"\(key)\" with \(expected)", found: "nothing")
    }
    return Problem(path: path(key), offset: node.offset, expected: expected, found: node.description)
  }

  /// The value of a key; nil when it is missing or null, a problem when it is something else.
  func optional<T>(
    _ key: String, expected: String, read: (JSONNode.Value) -> T?
  ) throws(Problem) -> T? {
    guard let node = members[key], node.value != .null else { return nil }
    guard let value = read(node.value) else { throw problem(key, expected: expected) }
    return value
  }

  func required<T>(_ key: String, expected: String, read: (JSONNode.Value) -> T?) throws(Problem) -> T {
    guard let value = try optional(key, expected: expected, read: read) else { throw problem(key, expected: expected) }
    return value
  }

  func string(_ key: String) throws(Problem) -> String? { try optional(key, expected: "a string", read: \.text) }

  /// A string with something in it.
  func name(_ key: String) throws(Problem) -> String {
    try required(key, expected: "a string with something in it") { $0.text.flatMap { $0.isEmpty ? nil : $0 } }
  }

  func bool(_ key: String) throws(Problem) -> Bool {
    try optional(key, expected: "true or false", read: \.flag) ?? false
  }

  func integer(_ key: String) throws(Problem) -> Int? { try optional(key, expected: "a whole number", read: \.integer) }

  /// The elements of a list with the path of each; none when the key is missing or null.
  func elements(_ key: String) throws(Problem) -> [(node: JSONNode, path: String)] {
    let nodes = try optional(key, expected: "a list", read: \.elements) ?? []
    return nodes.enumerated().map { ($1, "\(path(key))[\($0)]") }
  }
}

extension JSONNode.Value {
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var flag: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  var integer: Int? {
    if case .number(let digits) = self { Int(digits) } else { nil }
  }

  var elements: [JSONNode]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}
