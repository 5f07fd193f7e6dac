import HTTPTypes
import Metrics
import OnsideAPI
import StoreBase
import Synchronization

/// Counts and times requests by route and class of status. Labels are the route's template, never a path: paths hold
/// tokens.
final class RequestMetrics: Sendable {
  private let factory: any MetricsFactory
  private let recorders = Mutex<[String: RouteRecorder]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
  }

  /// The metrics of a route, made at the first call for its method and path.
  func recorder(for route: Route) -> RouteRecorder {
    let label = "\(route.method.rawValue) \(route.path)"
    return recorders.withLock { recorders in
      if let known = recorders[label] { return known }
      let made = RouteRecorder(route: label, factory: factory)
      recorders[label] = made
      return made
    }
  }
}

/// The metrics of one route.
struct RouteRecorder: Sendable {
  private let counters: [Counter]
  private let duration: Metrics.Timer

  init(route: String, factory: any MetricsFactory) {
    counters = (1...5).map { group in
      Counter(
        label: "onside_http_requests_total", dimensions: [("route", route), ("status", "\(group)xx")],
        factory: factory)
    }
    duration = Metrics.Timer(
      label: "onside_http_request_duration_seconds", dimensions: [("route", route)], factory: factory)
  }

  func record(_ status: HTTPResponse.Status, after elapsed: Duration) {
    if (100..<600).contains(status.code) { counters[status.code / 100 - 1].increment() }
    duration.recordNanoseconds(Int64(elapsed.seconds * 1e9))
  }
}
