import Hummingbird
import Metrics
import OnsideAPI

/// The process's measures for Prometheus.
struct MetricsRoutes: RouteGroup {
  let metrics: PrometheusMetrics
  let changes: ChangeHub

  func addRoutes(to routes: StoreRoutes) {
    let waiting = Gauge(label: "onside_waiting_polls", factory: metrics)
    routes.on(.metrics) { _, _ in
      waiting.record(changes.count)
      return .bytes(Array(metrics.text().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
  }
}
