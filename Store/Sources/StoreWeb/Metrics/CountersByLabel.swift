package import CoreMetrics

/// Counters of one name, told apart by one label whose values are known beforehand. Another value counts as `other`.
package struct CountersByLabel: Sendable {
  private let counters: [String: Counter]
  private let other: Counter

  package init(_ name: String, by label: String, _ values: some Sequence<String>, _ factory: any MetricsFactory) {
    func counter(_ value: String) -> Counter { Counter(label: name, dimensions: [(label, value)], factory: factory) }
    counters = Dictionary(values.map { ($0, counter($0)) }) { first, _ in first }
    other = counter("other")
  }

  package func increment(_ value: String) { (counters[value] ?? other).increment() }
  package func incrementOther() { other.increment() }
}
