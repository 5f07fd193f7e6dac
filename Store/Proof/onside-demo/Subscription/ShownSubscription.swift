import Foundation

/// What `onside subscription show` prints, read as the operator reads it.
struct ShownSubscription {
  /// An order of the walk.
  struct Step {
    let period: Int
    let reason: String
    let product: String
    /// The price in cents.
    let price: Int64
    let state: String
    let end: Date?
    let order: String
    /// What happened to its money, in the order of time.
    var events: [String] = []

    /// The amounts that went back, in cents.
    var refunds: [Int64] {
      events.compactMap { $0.firstMatch(of: /refund of ([0-9.]+) EUR .*settled/).flatMap { Self.cents(String($0.1)) } }
    }

    /// The amount of a text with two decimals, in cents.
    static func cents(_ text: String) -> Int64? { Int64(text.replacing(".", with: "")) }
  }

  private(set) var facts: [String: String] = [:]
  private(set) var walk: [Step] = []

  init(_ text: String) throws {
    for line in text.split(separator: "\n").map(String.init) {
      if let step = Self.step(line) {
        walk.append(step)
      } else if line.hasPrefix("    "), !walk.isEmpty {
        walk[walk.count - 1].events.append(line.trimmingCharacters(in: .whitespaces))
      } else if let fact = line.firstMatch(of: /^([a-z][a-z ]*?)  +(.+)$/) {
        facts[String(fact.1)] = String(fact.2)
      }
    }
    guard !walk.isEmpty else { throw DemoFailure("`onside subscription show` has no walk: \(text)") }
  }

  /// When the paid period ends.
  var paidUntil: Date? { facts["paid until"].flatMap(Self.date) }

  /// What has been paid in all less what went back, in cents.
  var balance: Int64 {
    walk.map { step in
      let isPaid = step.events.contains { $0.contains(": succeeded") || $0.contains(": refunded") }
      return (isPaid ? step.price : 0) - step.refunds.reduce(0, +)
    }.reduce(0, +)
  }

  static func date(_ text: some StringProtocol) -> Date? { try? Date(String(text), strategy: .iso8601) }

  private static func step(_ line: String) -> Step? {
    let pattern =
      /^  [0-9TZ:-]+  period ([0-9]+), ([A-Z_]+): ([a-z_]+) for ([0-9.]+) EUR, (.+), order ([0-9a-f-]+)$/
    guard let match = line.firstMatch(of: pattern), let period = Int(match.1), let price = Step.cents(String(match.4))
    else { return nil }
    let parts = match.5.split(separator: " until ")
    return Step(
      period: period, reason: String(match.2), product: String(match.3), price: price, state: String(parts[0]),
      end: parts.count > 1 ? date(parts[1]) : nil, order: String(match.6))
  }
}
