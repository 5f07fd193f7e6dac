/// What one route takes on: every route has one.
public struct RouteLimits: Sendable, Hashable {
  /// The most bytes of a body.
  public var body: Int
  /// How long the body may take to arrive, and then the answer to be made.
  public var time: Duration
  /// True for a request that waits for something to happen: it is counted apart from the others.
  public var isLongPoll: Bool
  /// Requests of one network address, for a route that costs more than most; beside the limit on all routes together.
  public var perClient: RateLimit?

  /// Limits of a route.
  public init(
    body: Int = 64 * 1024, time: Duration = .seconds(10), isLongPoll: Bool = false, perClient: RateLimit? = nil
  ) {
    self.body = body
    self.time = time
    self.isLongPoll = isLongPoll
    self.perClient = perClient
  }

  /// 64 KiB and ten seconds.
  public static let standard = RouteLimits()
}
