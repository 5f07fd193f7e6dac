import Foundation
import OnsideAPI
import StoreTestSupport
import Yams

/// `docs/openapi.yaml`, read, with as much of JSON Schema as it uses.
struct OpenAPIDocument: Sendable {
  struct Operation: Sendable {
    let method: String
    let path: String
    let value: JSONValue

    var name: String { "\(method) \(path)" }
    var tags: [String] { value["tags"]?.array.compactMap(\.string) ?? [] }
    var security: [String] { value["security"]?.array.flatMap { $0.object.keys }.sorted() ?? ["missing"] }
    /// The scopes that an API key needs.
    var scopes: [APIKeyScope] {
      (value["security"]?.array ?? []).flatMap { $0["apiKey"]?.array ?? [] }.compactMap(\.string)
        .map { APIKeyScope(rawValue: $0) }
    }
  }

  let root: JSONValue
  let operations: [Operation]

  init() throws {
    let root = JSONValue(try Yams.load(yaml: Repository.text("docs/openapi.yaml")))
    self.root = root
    operations = (root["paths"]?.object ?? [:]).flatMap { path, item in
      item.object.filter { $0.key != "parameters" }.map { method, value in
        Operation(method: method.uppercased(), path: path, value: value)
      }
    }.sorted { $0.name < $1.name }
  }

  func schema(_ name: String) -> JSONValue? { root["components"]?["schemas"]?[name] }

  var schemas: [String: JSONValue] { root["components"]?["schemas"]?.object ?? [:] }

  /// What a `$ref` leads to, with the keys beside it; the value itself without one.
  func resolved(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"]?.string else { return value }
    let target = reference.dropFirst(2).split(separator: "/").reduce(Optional(root)) { $0?[String($1)] }
    guard let target else { return .null }
    return resolved(target)
  }

  /// Every `$ref` of the document.
  func references(in value: JSONValue? = nil) -> [String] {
    let value = value ?? root
    let own = value["$ref"]?.string.map { [$0] } ?? []
    return own + value.object.values.flatMap { references(in: $0) } + value.array.flatMap { references(in: $0) }
  }

  /// How an operation answers with a status: its own entry, else `default`.
  func response(_ operation: Operation, status: Int) -> JSONValue? {
    let responses = operation.value["responses"]
    return (responses?["\(status)"] ?? responses?["default"]).map { resolved($0) }
  }

  /// What is wrong with a value, by place; empty when it fits.
  func faults(_ value: JSONValue, against schema: JSONValue, at place: String = "$") -> [String] {
    let schema = resolved(schema)
    if schema == .null { return ["\(place): no such schema"] }
    var faults: [String] = []
    let types = schema["type"].map { $0.string.map { [$0] } ?? $0.array.compactMap(\.string) } ?? []
    if !types.isEmpty, value.typeNames.isDisjoint(with: types) {
      return ["\(place): expected \(types.joined(separator: " or ")), got \(value)"]
    }
    if let constant = schema["const"], constant != value {
      faults.append("\(place): expected \(constant), got \(value)")
    }
    if let choices = schema["enum"]?.array, !choices.contains(value) {
      faults.append("\(place): \(value) is no choice")
    }
    if let least = schema["minimum"]?.integer, let number = value.integer, number < least {
      faults.append("\(place): \(number) is less than \(least)")
    }
    if let text = value.string { faults += self.faults(text, against: schema, place: place) }
    faults += value.array.enumerated().flatMap { index, element in
      schema["items"].map { self.faults(element, against: $0, at: "\(place)[\(index)]") } ?? []
    }
    if case .object(let members) = value { faults += self.faults(members, against: schema, place: place) }
    return faults
  }

  private func faults(_ text: String, against schema: JSONValue, place: String) -> [String] {
    var faults: [String] = []
    if let pattern = schema["pattern"]?.string, text.range(of: pattern, options: .regularExpression) == nil {
      faults.append("\(place): \"\(text)\" does not match \(pattern)")
    }
    switch schema["format"]?.string {
    case "uuid" where UUID(uuidString: text) == nil: faults.append("\(place): \"\(text)\" is no UUID")
    case "uri" where URL(string: text)?.scheme == nil: faults.append("\(place): \"\(text)\" is no URI")
    case "date-time" where (try? Date(text, strategy: .iso8601)) == nil:
      faults.append("\(place): \"\(text)\" is no date and time")
    default: break
    }
    return faults
  }

  private func faults(_ members: [String: JSONValue], against schema: JSONValue, place: String) -> [String] {
    let properties = schema["properties"]?.object ?? [:]
    let missing = (schema["required"]?.array.compactMap(\.string) ?? []).filter { members[$0] == nil }
    var faults = missing.map { "\(place): \($0) is missing" }
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      if let property = properties[key] {
        faults += self.faults(value, against: property, at: "\(place).\(key)")
      } else if schema["additionalProperties"] == .bool(false) {
        faults.append("\(place): \(key) is not documented")
      }
    }
    return faults
  }
}
