import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI

/// Whether this process serves, and how it does.
struct HealthRoutes: RouteGroup {
  let database: any Database
  let metrics: PrometheusMetrics

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.health) { _, _ in
      _ = try await database.read { try $0.row("SELECT 1 AS one") }
      return .bytes(Array(#"{"status":"ok"}"#.utf8), "application/json")
    }
    routes.on(.metrics) { _, _ in
      .bytes(Array(metrics.text().utf8), "text/plain; version=0.0.4; charset=utf-8")
    }
  }
}
