package import CoreMetrics

/// Counts spans. The series are there without tracing, too.
package struct SpanMetrics: Sendable {
  let sent: Counter
  let dropped: Counter

  package init(_ factory: any MetricsFactory) {
    sent = Counter(label: "onside_spans_sent_total", dimensions: [], factory: factory)
    dropped = Counter(label: "onside_spans_dropped_total", dimensions: [], factory: factory)
  }
}
