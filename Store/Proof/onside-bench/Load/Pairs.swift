/// Measurements of ours and of a peer in turns, so that other load on the machine affects both.
struct Pairs {
  private(set) var ours: [Double] = []
  private(set) var peers: [Double] = []

  mutating func add(ours: Double, peer: Double) {
    self.ours.append(ours)
    peers.append(peer)
  }

  /// The ratio of each pair.
  var ratios: [Double] { zip(ours, peers).map { $0 / $1 } }
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    guard !isEmpty else { return .nan }
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }

  /// Median, then the least and the greatest.
  func spread(_ text: (Double) -> String) -> String {
    "\(text(median)) (\(text(self.min() ?? .nan)) – \(text(self.max() ?? .nan)))"
  }
}
