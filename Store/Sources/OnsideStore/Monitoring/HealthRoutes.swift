import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI
import StoreBase
import StoreWeb

/// Whether this process runs, and whether it should get requests.
struct HealthRoutes: RouteGroup {
  let database: any Database
  let readiness: Readiness

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.health) { _, _ in
      try await database.ping()
      // Whether it still is so: a balancer that was told 503 sends no more requests that write.
      if database.writeFailure != nil { try await database.proveWriting() }
      return Self.answer(.ok) { $0.field("status", "ok") }
    }
    // Answered under overload, too: a balancer must not take a busy store for a broken one.
    let limits = RouteLimits(admission: .exempt)
    routes.on(.live, limits: limits) { _, _ in Self.answer(.ok) { $0.field("status", "live") } }
    routes.on(.ready, limits: limits) { _, _ in
      let faults = await readiness.faults()
      return Self.answer(faults.isEmpty ? .ok : .serviceUnavailable) { json in
        json.name("parts")
        json.object { json in
          for part in Readiness.Part.allCases { Self.write(part, fault: faults[part], to: &json) }
        }
        json.field("status", faults.isEmpty ? "ready" : "not_ready")
      }
    }
  }

  private static func write(_ part: Readiness.Part, fault: String?, to json: inout JSONWriter) {
    json.name(part.name)
    json.object { json in
      json.field("ready", fault == nil)
      if let fault { json.field("reason", fault) }
    }
  }

  private static func answer(_ status: HTTPResponse.Status, _ fields: (inout JSONWriter) -> Void) -> Response {
    var json = JSONWriter(capacity: 256)
    json.object(fields)
    var response = Response.bytes(json.bytes, contentType: "application/json", status: status)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
