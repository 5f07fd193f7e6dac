import CoreMetrics
import Foundation

/// How many of something there are, and the age of the oldest in seconds.
struct AgedGauge: Sendable {
  private let count: Gauge
  private let age: Gauge

  /// - Parameters:
  ///   - name: of the count.
  ///   - ageName: of the age; it ends in `_seconds`.
  init(_ name: String, age ageName: String, labels: [(String, String)], _ factory: any MetricsFactory) {
    count = Gauge(label: name, dimensions: labels, factory: factory)
    age = Gauge(label: ageName, dimensions: labels, factory: factory)
  }

  func record(_ waiting: GaugeRecords.Waiting, at now: Date) {
    count.record(waiting.count)
    age.record(waiting.oldest.map { max(0, now.timeIntervalSince($0)) } ?? 0)
  }
}
