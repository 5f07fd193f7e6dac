/// A request for a page of an app's feed.
package struct FeedQuery: Sendable {
  /// The most events of a page.
  package static let limits = 1...500
  /// The most events of a page that names no limit.
  package static let usualLimit = 100
  /// The longest wait for an event, in seconds.
  package static let waits = 0...30

  package var app: String
  /// The newest event that the client has looked at; nil for the oldest event of the feed.
  package var after: MerchantEventID?
  /// The types of events; empty for all.
  package var types: Set<String>
  package var limit: Int
  package var wait: Duration

  package init(
    app: String, after: MerchantEventID? = nil, types: Set<String> = [], limit: Int = FeedQuery.usualLimit,
    wait: Duration = .zero
  ) {
    self.app = app
    self.after = after
    self.types = types
    self.limit = limit
    self.wait = wait
  }
}

/// A page of an app's feed.
package struct FeedPage: Sendable, Equatable {
  package var events: [FeedEvent] = []
  /// The newest event that the page has looked at, also one of another type; nil for an empty feed.
  package var cursor: MerchantEventID?
  /// True if the page begins at the oldest event because the client's cursor is unknown.
  package var startsOver = false
  /// True if the feed has no events after the cursor.
  package var isAtEnd = true
}
