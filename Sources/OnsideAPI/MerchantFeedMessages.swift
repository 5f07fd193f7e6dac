/// The answer of ``Route/merchantEvents``: a page of an app's events.
public struct MerchantFeedMessage: Hashable, Sendable, Codable {
  /// The events in the order of their numbers.
  public var events: [MerchantEventMessage]
  /// The id of the newest event that the page has looked at, for `after` of the next request; nil for an app without
  /// events. With a filter of types it may be an event that is not in the page.
  public var cursor: String?
  /// True if the page begins at the oldest event, because the store does not know the event of the request's cursor: it
  /// was lost with a restore of a backup or with a failover.
  public var startsOver: Bool

  enum CodingKeys: String, CodingKey {
    case events, cursor
    case startsOver = "starts_over"
  }

  /// Makes a page.
  public init(events: [MerchantEventMessage], cursor: String? = nil, startsOver: Bool = false) {
    self.events = events
    self.cursor = cursor
    self.startsOver = startsOver
  }

  /// Writes all fields; `null` for a missing cursor.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(events, forKey: .events)
    try fields.encode(cursor, forKey: .cursor)
    try fields.encode(startsOver, forKey: .startsOver)
  }
}
