/// The limits of one route.
public struct RouteLimits: Sendable, Hashable {
  /// The limit of requests in flight that counts a route's requests. Requests beyond it are rejected.
  public enum Admission: Sendable, Hashable {
    /// The limit of all requests.
    case request
    /// The same limit, of which new orders may use three quarters: the rest is for purchases that have begun.
    case newOrder
    /// The limit of waiting polls.
    case longPoll
    /// No limit, also under overload: for the few and quick requests of operators.
    case exempt
  }

  /// The most bytes of a body.
  public var body: Int
  /// The time limit of the body's arrival, and again of the answer.
  public var time: Duration
  /// The limit of requests in flight.
  public var admission: Admission
  /// Requests of one network address, for a route that costs more than most; beside the limit on all routes together.
  public var perClient: RateLimit?

  /// Limits of a route.
  public init(
    body: Int = 64 * 1024, time: Duration = .seconds(10), admission: Admission = .request,
    perClient: RateLimit? = nil
  ) {
    self.body = body
    self.time = time
    self.admission = admission
    self.perClient = perClient
  }

  /// 64 KiB and ten seconds.
  public static let standard = RouteLimits()
}
