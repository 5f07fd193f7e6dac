package import Metrics

/// Counts what became of messages.
package struct MessageMetrics: Sendable {
  let delivered: Counter
  /// Tries that will be repeated.
  let failed: Counter
  let givenUp: Counter

  package init(_ factory: any MetricsFactory) {
    func counter(_ outcome: String) -> Counter {
      Counter(label: "onside_messages_total", dimensions: [("outcome", outcome)], factory: factory)
    }
    (delivered, failed, givenUp) = (counter("delivered"), counter("failed"), counter("given_up"))
  }
}
