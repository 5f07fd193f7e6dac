/// What one route takes on: every route has one.
public struct RouteLimits: Sendable, Hashable {
  /// Among which requests a request is counted that is being answered; those over the limit are turned away.
  public enum Admission: Sendable, Hashable {
    /// Among all that are answered at once.
    case request
    /// Among all that are answered at once, and turned away before the others: a quarter of the room is kept for
    /// purchases that have begun.
    case newOrder
    /// Among those that wait for something to happen.
    case longPoll
    /// It is not counted, and answered under overload, too: for operators, whose questions are few and quick.
    case exempt
  }

  /// The most bytes of a body.
  public var body: Int
  /// How long the body may take to arrive, and then the answer to be made.
  public var time: Duration
  /// Among which requests it is counted.
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
