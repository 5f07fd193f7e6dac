import HTTPTypes
import Hummingbird
import Metrics
import NIOCore
import OnsideAPI

/// Whether this process serves, and how it does.
struct HealthRoutes: RouteGroup {
  let database: any Database
  let metrics: PrometheusMetrics
  let changes: ChangeHub

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.health) { _, _ in
      try await database.ping()
      // Whether it still is so: a balancer that was told 503 sends no more requests that write.
      if database.writeFailure != nil { try await database.write { try Self.tryWriting(in: $0) } }
      return .bytes(Array(#"{"status":"ok"}"#.utf8), contentType: "application/json")
    }
    let waiting = Gauge(label: "onside_waiting_polls", factory: metrics)
    routes.on(.metrics) { _, _ in
      waiting.record(changes.count)
      return .bytes(Array(metrics.text().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
  }

  /// Writes about as much as an order takes.
  private static func tryWriting(in connection: any SQLConnection) throws {
    try StoreSettings(connection: connection).set("health_check", to: String(repeating: "x", count: 8192))
  }
}
