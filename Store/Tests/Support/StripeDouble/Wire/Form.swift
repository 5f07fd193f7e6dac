import Foundation

/// The parameters of a request, nested by brackets: `metadata[order]=7` is the member `order` of `metadata`.
struct Form: Sendable {
  /// A parameter.
  indirect enum Value: Sendable {
    case text(String)
    case members([String: Value])
  }

  private(set) var members: [String: Value] = [:]
  /// The names as they were sent, with their brackets, for who checks them.
  private(set) var names: [String] = []

  /// Reads a body or query. Broken escapes and names are refused.
  init(_ text: some StringProtocol) throws(Refusal) {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(parts[0]), let value = parts.count == 2 ? Self.decoded(parts[1]) : "",
        let path = Self.path(name)
      else { throw .invalid("Invalid form encoding.") }
      names.append(name)
      try Self.insert(value, at: path[...], into: &members)
    }
  }

  private init(members: [String: Value]) { self.members = members }

  /// Refuses parameters that the call does not have, as Stripe does.
  func allow(_ known: Set<String>) throws(Refusal) {
    // Removed in 2026-09-30.endive.
    if members["payment_method_types"] != nil {
      throw .invalid(
        "payment_method_types is no longer supported.", code: "payment_method_types_no_longer_supported",
        param: "payment_method_types")
    }
    let unknown = members.keys.filter { !known.contains($0) && $0 != "expand" && $0 != "key" }.sorted()
    guard let first = unknown.first else { return }
    throw .invalid("Received unknown parameter: \(first)", code: "parameter_unknown", param: first)
  }

  func text(_ name: String) throws(Refusal) -> String? {
    switch members[name] {
    case nil: return nil
    case .members: throw .invalid("Invalid string: \(name)", code: "parameter_invalid_string", param: name)
    case .text(let text):
      guard !text.isEmpty else {
        throw .invalid(
          "You passed an empty string for '\(name)'.", code: "parameter_invalid_empty", param: name)
      }
      return text
    }
  }

  func required(_ name: String) throws(Refusal) -> String {
    guard let text = try text(name) else {
      throw .invalid("Missing required param: \(name).", code: "parameter_missing", param: name)
    }
    return text
  }

  func number(_ name: String) throws(Refusal) -> Int64? {
    guard let text = try text(name) else { return nil }
    guard let number = Int64(text) else {
      throw .invalid("Invalid integer: \(text)", code: "parameter_invalid_integer", param: name)
    }
    return number
  }

  func bool(_ name: String) throws(Refusal) -> Bool? {
    guard let text = try text(name) else { return nil }
    guard let value = Bool(text) else { throw .invalid("Invalid boolean: \(text)", param: name) }
    return value
  }

  /// The parameters inside another; empty when there are none.
  func form(_ name: String) throws(Refusal) -> Form {
    switch members[name] {
    case nil: return Form(members: [:])
    case .members(let members): return Form(members: members)
    case .text: throw .invalid("Invalid object: \(name)", param: name)
    }
  }

  /// The texts of a list, which is written with the places of its elements.
  func list(_ name: String) throws(Refusal) -> [String] {
    let form = try form(name)
    var texts: [String] = []
    for place in form.members.keys.sorted(by: { (Int($0) ?? 0, $0) < (Int($1) ?? 0, $1) }) {
      if let text = try form.text(place) { texts.append(text) }
    }
    return texts
  }

  /// The texts inside a parameter, by name: metadata.
  func texts(_ name: String) throws(Refusal) -> [String: String] {
    let form = try form(name)
    var texts: [String: String] = [:]
    for member in form.members.keys { texts[member] = try form.text(member) }
    return texts
  }

  /// A parameter that is a moment or a range of moments.
  func range(_ name: String) throws(Refusal) -> @Sendable (Int64) -> Bool {
    if case .text = members[name], let exact = try number(name) { return { $0 == exact } }
    let form = try form(name)
    try form.allow(["gt", "gte", "lt", "lte"])
    let (above, from) = (try form.number("gt"), try form.number("gte"))
    let (below, until) = (try form.number("lt"), try form.number("lte"))
    return { time in
      (above.map { time > $0 } ?? true) && (from.map { time >= $0 } ?? true) && (below.map { time < $0 } ?? true)
        && (until.map { time <= $0 } ?? true)
    }
  }

  private static func decoded(_ text: some StringProtocol) -> String? {
    String(text).replacing("+", with: " ").removingPercentEncoding
  }

  /// `a[b][0]` as `a`, `b`, `0`.
  private static func path(_ name: String) -> [String]? {
    let parts = name.split(separator: "[", omittingEmptySubsequences: false)
    guard let first = parts.first, !first.isEmpty, parts.dropFirst().allSatisfy({ $0.hasSuffix("]") }) else {
      return nil
    }
    return [String(first)] + parts.dropFirst().map { String($0.dropLast()) }
  }

  private static func insert(
    _ value: String, at path: ArraySlice<String>, into members: inout [String: Value]
  ) throws(Refusal) {
    guard let first = path.first else { return }
    // `a[]=x` appends.
    let name = first.isEmpty ? String(members.count) : first
    let rest = path.dropFirst()
    if rest.isEmpty {
      members[name] = .text(value)
      return
    }
    var inner: [String: Value] = [:]
    if case .members(let known) = members[name] { inner = known }
    try insert(value, at: rest, into: &inner)
    members[name] = .members(inner)
  }
}
