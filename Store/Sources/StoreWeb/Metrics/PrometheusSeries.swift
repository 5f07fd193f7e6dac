import CoreMetrics
import Synchronization

/// One series of numbers.
protocol PrometheusSeries: AnyObject, Sendable {
  /// Prometheus's word for it.
  var kind: String { get }
  func lines(name: String, labels: String) -> String
}

final class PrometheusCounter: PrometheusSeries, CounterHandler {
  private let value = Atomic<Int64>(0)
  var kind: String { "counter" }

  func increment(by amount: Int64) { value.add(amount, ordering: .relaxed) }
  func reset() { value.store(0, ordering: .relaxed) }

  func lines(name: String, labels: String) -> String {
    "\(name)\(braced(labels)) \(value.load(ordering: .relaxed))\n"
  }
}

final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
  private let value = Mutex<Double>(0)
  var kind: String { "gauge" }

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }

  func lines(name: String, labels: String) -> String { "\(name)\(braced(labels)) \(value.withLock { $0 })\n" }
}

/// Counts by upper bound; times are told in seconds.
final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
  private struct State {
    var counts: [Int]
    var sum = 0.0
  }

  /// Bounds for times.
  static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  /// Bounds for how many share something.
  static let counts: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

  private let bounds: [Double]
  private let state: Mutex<State>

  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: [Int](repeating: 0, count: bounds.count + 1)))
  }

  var kind: String { "histogram" }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[bucket] += 1
      state.sum += value
    }
  }

  func lines(name: String, labels: String) -> String {
    let state = state.withLock { $0 }
    var total = 0
    var text = ""
    for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], state.counts) {
      total += count
      let bucket = labels.isEmpty ? "le=\"\(bound)\"" : "\(labels),le=\"\(bound)\""
      text += "\(name)_bucket{\(bucket)} \(total)\n"
    }
    return text + "\(name)_sum\(braced(labels)) \(state.sum)\n\(name)_count\(braced(labels)) \(total)\n"
  }
}

private func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
