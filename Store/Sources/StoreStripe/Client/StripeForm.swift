import OnsideAPI

/// Parameters of a call of Stripe's API, form-encoded with nested names in brackets: `metadata[order]=7`,
/// `expand[0]=latest_charge`. The same parameters always make the same text, which an idempotency key needs.
struct StripeForm: Sendable {
  private(set) var fields: [(name: String, value: String)] = []

  /// No parameters.
  init() {}

  mutating func set(_ name: String, to text: String?) {
    if let text { fields.append((name, text)) }
  }

  mutating func set(_ name: String, to number: Int64?) {
    set(name, to: number.map { String($0) })
  }

  mutating func set(_ name: String, to value: Bool?) {
    set(name, to: value.map { $0 ? "true" : "false" })
  }

  mutating func set(_ name: String, to list: [String]) {
    for (index, text) in list.enumerated() { set("\(name)[\(index)]", to: text) }
  }

  /// Sets the members of an object, sorted by their names.
  mutating func set(_ name: String, to members: [String: String]) {
    for (member, text) in members.sorted(by: { $0.key < $1.key }) { set("\(name)[\(member)]", to: text) }
  }

  /// The text of a body or query.
  var encoded: String { FormEncoding.encode(fields) }
}
