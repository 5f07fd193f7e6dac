/// Latencies counted by microsecond.
struct Latencies: Sendable {
  private let counts: [UInt32]
  private let total: Int

  init(_ counts: [UInt32]) {
    self.counts = counts
    total = counts.reduce(0) { $0 + Int($1) }
  }

  /// The latency in milliseconds that a share of the answers was not slower than.
  func milliseconds(at share: Double) -> Double {
    let rank = Int((Double(total) * share).rounded(.up))
    var seen = 0
    for (microseconds, count) in counts.enumerated() {
      seen += Int(count)
      if seen >= Swift.max(1, rank) { return Double(microseconds) / 1000 }
    }
    return .nan
  }
}
