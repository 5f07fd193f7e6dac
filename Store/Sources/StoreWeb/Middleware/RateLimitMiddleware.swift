import Hummingbird
import StoreBase

/// Refuses requests over a rate limit with 429 and `Retry-After`.
struct RateLimitMiddleware: RouterMiddleware {
  /// The key that a request is counted by; nil when it is not counted.
  typealias Key = @Sendable (Request, StoreRequestContext) -> String?

  /// A request takes from each of them, in this order.
  private let limiters: [RateLimiter]
  private let clock: any StoreClock
  private let key: Key

  private init(_ limiters: [RateLimiter], clock: any StoreClock, key: @escaping Key) {
    self.limiters = limiters
    self.clock = clock
    self.key = key
  }

  /// Counts by the caller's network.
  ///
  /// - Parameters:
  ///   - all: the limiter that all routes share.
  ///   - own: the limit of the route alone.
  static func perClient(
    _ all: RateLimiter, own: RateLimit?, clock: any StoreClock, proxies: Proxies
  ) -> RateLimitMiddleware {
    RateLimitMiddleware([all] + (own.map { [RateLimiter($0)] } ?? []), clock: clock) { request, context in
      NetworkPrefix.ofCaller(request.clientAddress(context, proxies: proxies))
    }
  }

  /// Counts by the account of the access token; a request without one is not counted.
  static func perAccount(_ limiter: RateLimiter, clock: any StoreClock) -> RateLimitMiddleware {
    RateLimitMiddleware([limiter], clock: clock) { _, context in context.claims?.accountID }
  }

  /// Counts by the API key; a request without one is not counted.
  static func perKey(_ limiter: RateLimiter, clock: any StoreClock) -> RateLimitMiddleware {
    RateLimitMiddleware([limiter], clock: clock) { _, context in context.apiKey?.key }
  }

  /// Counts by the app; a request without one is not counted.
  static func perApp(_ limiter: RateLimiter, clock: any StoreClock) -> RateLimitMiddleware {
    RateLimitMiddleware([limiter], clock: clock) { _, context in context.appID }
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    if let key = key(request, context) {
      let now = clock.uptime()
      for limiter in limiters { try limiter.require(key, uptime: now) }
    }
    return try await next(request, context)
  }
}
