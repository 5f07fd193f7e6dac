import CoreMetrics
import Hummingbird
import OnsideAPI
import StoreAccounts
import StoreMerchants
import StoreWeb

/// The process's metrics for Prometheus. They are served under overload, too: that is when they are needed.
struct MetricsRoutes: RouteGroup {
  let metrics: PrometheusMetrics
  let changes: ChangeHub
  let feed: EventFeed
  let gauges: StoreGauges

  func addRoutes(to routes: StoreRoutes) {
    let waiting = Gauge(label: "onside_waiting_polls", factory: metrics)
    routes.on(.metrics, limits: RouteLimits(admission: .exempt)) { _, _ in
      await gauges.refresh()
      waiting.record(changes.count + feed.polls.count)
      return .bytes(Array(metrics.text().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
  }
}
