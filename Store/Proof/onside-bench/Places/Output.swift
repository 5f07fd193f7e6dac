import Foundation

/// The output of a measurement: Markdown for docs/performance.md.
enum Output {
  static func title(_ text: String) { print("\n### \(text)\n") }

  static func table(_ head: [String], rows: [[String]]) {
    print("| " + head.joined(separator: " | ") + " |")
    print("|" + String(repeating: "---|", count: head.count))
    for row in rows { print("| " + row.joined(separator: " | ") + " |") }
    fflush(nil)
  }

  /// The latencies of a purchase's requests, for each round in the order of their kinds; returns the 99th percentile of
  /// the slowest kind, in milliseconds.
  static func latencies(_ rounds: [[Latencies]]) -> Double {
    let slow = PurchaseRequests.kinds.indices.map { kind in rounds.map { $0[kind].milliseconds(at: 0.99) } }
    table(
      ["request", "p50 ms", "p99 ms"],
      rows: PurchaseRequests.kinds.enumerated().map { kind, name in
        let median = rounds.map { $0[kind].milliseconds(at: 0.5) }
        return [name, median.spread { $0.text() }, slow[kind].spread { $0.text() }]
      })
    return slow.map(\.median).max() ?? .nan
  }

  /// One sentence of result; returns whether the bar is met.
  static func verdict(_ text: String, met: Bool) -> Bool {
    print("\n\(met ? "✔" : "✘") \(text)")
    fflush(nil)
    return met
  }

  static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

extension Double {
  /// With so many digits after the point.
  func text(_ digits: Int = 2) -> String { String(format: "%.\(digits)f", self) }
  /// A whole number with thousands separated.
  var grouped: String {
    var text = String(Int(rounded()))
    var index = text.count - 3
    while index > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: index))
      index -= 3
    }
    return text
  }
}
