import Foundation
import OnsideAPI

/// Makes values of what a schema says, and values that it forbids; the same ones from the same seed.
struct SchemaSampler {
  let document: OpenAPIDocument
  var fuzzer: Fuzzer
  /// Values that mean something in a world, by the name of their field.
  let known: [String: [String]]

  /// A value that fits.
  mutating func value(_ schema: JSONValue, named name: String) -> JSONValue {
    let schema = document.resolved(schema)
    if let constant = schema["const"] { return constant }
    if let choices = schema["enum"]?.array { return fuzzer.pick(choices) }
    if let choices = schema["oneOf"]?.array { return value(fuzzer.pick(choices), named: name) }
    switch schema["type"]?.string {
    case "object": return object(schema)
    case "array":
      let count = Int.random(in: 0...3, using: &fuzzer)
      return .array((0..<count).map { _ in value(schema["items"] ?? .null, named: name) })
    case "integer":
      let range = (schema["minimum"]?.integer ?? .min)...(schema["maximum"]?.integer ?? .max)
      return .integer(
        fuzzer.pick(
          [range.lowerBound, range.upperBound, Int64.random(in: range, using: &fuzzer), 1].filter(range.contains)))
    case "boolean": return .bool(fuzzer.chance(50))
    default: return .string(text(schema, named: name))
    }
  }

  /// Values that the schema forbids, each with what is wrong about it.
  func wrongValues(_ schema: JSONValue) -> [(fault: String, value: JSONValue)] {
    let schema = document.resolved(schema)
    let others: [JSONValue] = [
      .null, .bool(true), .integer(7), .number(0.5), .string("\u{7}"), .array([]), .object([:]),
    ]
    return others.filter { !document.faults($0, against: schema).isEmpty }.map { ("is \($0)", $0) }
      + [schema["minimum"]?.integer.map { $0 - 1 }, schema["maximum"]?.integer.map { $0 + 1 }].compactMap { number in
        number.map { ("is \($0)", .integer($0)) }
      }
  }

  private mutating func object(_ schema: JSONValue) -> JSONValue {
    let required = Set(schema["required"]?.array.compactMap(\.string) ?? [])
    var members: [String: JSONValue] = [:]
    for (name, property) in (schema["properties"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard required.contains(name) || fuzzer.chance(50) else { continue }
      members[name] = value(property, named: name)
    }
    return .object(members)
  }

  private mutating func text(_ schema: JSONValue, named name: String) -> String {
    let length = (schema["minLength"]?.integer ?? 0)...(schema["maxLength"]?.integer ?? .max)
    if let known = known[name], fuzzer.chance(60) { return fuzzer.pick(known) }
    if let examples = schema["examples"]?.array.compactMap(\.string), fuzzer.chance(30) { return fuzzer.pick(examples) }
    if let pattern = schema["pattern"]?.string { return matching(pattern) }
    switch schema["format"]?.string {
    case "uuid":
      let random = (0..<10).map { _ in UInt8.random(in: 0...255, using: &fuzzer) }
      return UUID.version7(at: Date(timeIntervalSince1970: 0), random: random).uuidString
    case "uri": return fuzzer.pick(["http://127.0.0.1:1/callback", "x:", "https://a.example/?b=c#d", "urn:x:y"])
    default: break
    }
    var text = fuzzer.text()
    while text.count < length.lowerBound { text += "x" }
    return String(text.prefix(Int(clamping: length.upperBound)))
  }

  /// A text for a pattern of character classes and counts such as `^[A-Z]{2}[0-9]$`.
  private mutating func matching(_ pattern: String) -> String {
    let parts = pattern.matches(of: /\[([^\]]+)\](?:\{(\d+)\})?/)
    let known = "^" + parts.map { String($0.0) }.joined() + "$"
    precondition(known == pattern, "the sampler does not know the pattern \(pattern)")
    return parts.map { part in
      let letters = (0x2d...0x7a).map { String(UnicodeScalar(UInt8($0))) }
        .filter { $0.range(of: "^[\(part.1)]$", options: .regularExpression) != nil }
      return (0..<(part.2.flatMap { Int($0) } ?? 1)).map { _ in fuzzer.pick(letters) }.joined()
    }
    .joined()
  }
}

extension JSONValue {
  /// The value as JSON.
  var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { "\(JSONValue.string($0.key).json):\($0.value.json)" }
        .joined(separator: ",") + "}"
    }
  }

  /// The value as a query or a form carries it; nil for what neither can carry.
  var plain: [String]? {
    switch self {
    case .string(let text): [text]
    case .integer(let number): ["\(number)"]
    case .number(let number): ["\(number)"]
    case .bool(let value): ["\(value)"]
    case .array(let elements): elements.compactMap(\.plain?.first)
    case .null, .object: nil
    }
  }
}
