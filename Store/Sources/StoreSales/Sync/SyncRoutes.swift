import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase
import StoreWeb

/// Sync and restore over HTTP.
package struct SyncRoutes: RouteGroup {
  /// The longest that a poll waits, in seconds.
  private static let waitLimit = 30

  package let sync: SyncService
  package let json: OrderJSON
  package let clock: any StoreClock

  package init(sync: SyncService, json: OrderJSON, clock: any StoreClock) {
    self.sync = sync
    self.json = json
    self.clock = clock
  }

  func addRoutes(to routes: StoreRoutes) {
    let limits = RouteLimits(time: .seconds(Self.waitLimit + 10), admission: .longPoll)
    routes.on(.sync, limits: limits) { request, context in
      let caller = try request.caller(context.requireClaims())
      let findings = try await sync.sync(
        for: caller, since: try Self.cursor(of: request), wait: try Self.wait(of: request), now: clock.now())
      let reader = OrderJSON.Reader(
        device: caller.device, now: clock.now() + findings.ahead, finishedHere: findings.finishedHere)
      return .bytes(encoded(findings, for: reader), contentType: "application/json")
    }
    routes.on(.restorable) { _, context in
      let claims = try context.requireClaims()
      let orders = try await sync.restorable(of: claims.customer, now: clock.now())
      var body = JSONWriter()
      body.object { body in
        body.name("orders")
        body.array(orders) { json.write($1, to: &$0) }
      }
      return .bytes(body.bytes, contentType: "application/json")
    }
  }

  private func encoded(_ findings: SyncService.Findings, for reader: OrderJSON.Reader) -> [UInt8] {
    var body = JSONWriter()
    body.object { body in
      body.field("country", findings.cursor.country.alpha2)
      body.field("cursor", findings.cursor.text)
      body.name("orders")
      body.array(findings.orders) { json.write($1, for: reader, to: &$0) }
      body.field("starts_over", !findings.goesOn)
    }
    return body.bytes
  }

  private static func cursor(of request: Request) throws(Problem) -> SyncCursor? {
    guard let text = request.uri.queryParameters["cursor"], !text.isEmpty else { return nil }
    guard let cursor = SyncCursor(String(text)) else {
      throw .invalidRequest("Expected the cursor of an earlier answer, or none.")
    }
    return cursor
  }

  private static func wait(of request: Request) throws(Problem) -> Duration {
    guard let text = request.uri.queryParameters["wait"] else { return .zero }
    guard let seconds = Int(text), (0...waitLimit).contains(seconds) else {
      throw .invalidRequest("Expected wait as seconds from 0 to \(waitLimit).")
    }
    return .seconds(seconds)
  }
}
