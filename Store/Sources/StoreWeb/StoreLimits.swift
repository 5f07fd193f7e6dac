/// The load limits of one store process; requests beyond them are answered 429 or 503 with `Retry-After`.
public struct StoreLimits: Sendable {
  /// Requests of one network address; for IPv6, of its first 48 bits.
  public var perClient = RateLimit(perSecond: 500, burst: 1000)
  /// Logins that one network address begins by opening a page: each is a row in the database. Many people may share an
  /// address.
  public var loginsPerClient = RateLimit(perSecond: 10, burst: 500)
  /// Requests of one account.
  public var perAccount = RateLimit(perSecond: 100, burst: 400)
  /// Requests with one API key; also requests with the JWTs of one app's merchant.
  public var perKey = RateLimit(perSecond: 100, burst: 400)
  /// Orders of one account in one app in 24 hours that are not paid, or are of a product that it owns.
  public var unpaidOrdersPerAccount = 200
  /// Requests being answered at once.
  public var requestsInFlight = 512
  /// Polls that wait for a change at once.
  public var waitingPolls = 10_000
  /// Polls of one account that wait at once; one more ends the oldest.
  public var waitingPollsPerAccount = 8
  /// Connections at once.
  public var connections = 12_000
  /// Connections of one network address at once; for IPv6, of its first 56 bits. Not behind a proxy.
  public var connectionsPerNetwork = 3000
  /// Timeout of the head of the first request on a new connection.
  public var headTimeout: Duration = .seconds(15)
  /// Timeout of a connection without a request, and of the next head.
  public var idleTimeout: Duration = .seconds(60)
  /// Timeout of a request from its head to the end of its body.
  public var bodyTimeout: Duration = .seconds(20)
  /// Timeout of a shutdown for requests in flight.
  public var stopTimeout: Duration = .seconds(10)

  /// The defaults.
  public init() {}
}
