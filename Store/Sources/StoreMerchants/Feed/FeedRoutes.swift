import Hummingbird
import OnsideAPI
import StoreBase
import StoreWeb

/// The feed of events over HTTP.
package struct FeedRoutes: RouteGroup {
  package let feed: EventFeed

  package init(feed: EventFeed) {
    self.feed = feed
  }

  func addRoutes(to routes: StoreRoutes) {
    let limits = RouteLimits(time: .seconds(FeedQuery.waits.upperBound + 10), admission: .longPoll)
    routes.on(.merchantEvents, limits: limits) { request, context in
      let query = try FeedQuery(request, app: context.requireAPIKey().app)
      return .bytes(try await feed.page(query).json, contentType: "application/json")
    }
  }
}

extension FeedQuery {
  /// Reads the query of a request.
  init(_ request: Request, app: String) throws(Problem) {
    let parameters = request.uri.queryParameters
    self.init(
      app: app, after: try Self.cursor(parameters["after"].map { String($0) }),
      types: try Self.types(parameters["types"].map { String($0) }),
      limit: try Self.number("limit", parameters["limit"].map { String($0) }, in: Self.limits) ?? Self.usualLimit,
      wait: .seconds(try Self.number("wait", parameters["wait"].map { String($0) }, in: Self.waits) ?? 0))
  }

  private static func cursor(_ text: String?) throws(Problem) -> MerchantEventID? {
    guard let text, !text.isEmpty else { return nil }
    guard let id = MerchantEventID(text) else {
      throw .invalidRequest("Expected after as the cursor of an earlier answer or the id of an event, or none.")
    }
    return id
  }

  private static func types(_ text: String?) throws(Problem) -> Set<String> {
    let types = Set((text ?? "").split(separator: ",").map { String($0) })
    let known = MerchantEventType.all.map(\.rawValue)
    guard types.isSubset(of: known) else {
      throw .invalidRequest("Expected types as names with commas, of: \(known.joined(separator: ", ")).")
    }
    return types
  }

  private static func number(
    _ name: String, _ text: String?, in range: ClosedRange<Int>
  ) throws(Problem) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .invalidRequest("Expected \(name) as a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}

extension FeedPage {
  /// The page as JSON.
  var json: [UInt8] {
    var body = JSONWriter(capacity: 1024 * (events.count + 1))
    body.object { body in
      if let cursor { body.field("cursor", cursor.text) } else { body.null("cursor") }
      body.name("events")
      body.array(events) { $1.write(to: &$0) }
      body.field("starts_over", startsOver)
    }
    return body.bytes
  }
}
