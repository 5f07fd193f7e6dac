import HTTPTypes
import OnsideAPI
import StoreBase
import Synchronization

/// How often something may happen: so many at once, and so many a second in the long run.
public struct RateLimit: Sendable, Hashable {
  /// The most at once.
  public var burst: Int
  /// The most a second in the long run.
  public var perSecond: Int

  /// A limit.
  public init(perSecond: Int, burst: Int) {
    self.burst = burst
    self.perSecond = perSecond
  }
}

/// A token bucket for each key. It remembers at most twice `capacity` keys: when one generation of keys is full, the
/// older one is forgotten, and a forgotten key starts with a full bucket.
public final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var filledAt: Double
  }

  private struct Generations {
    var young: [String: Bucket] = [:]
    var old: [String: Bucket] = [:]
  }

  private let limit: RateLimit
  private let capacity: Int
  private let generations = Mutex(Generations())

  /// A limiter that remembers up to twice `capacity` keys.
  public init(_ limit: RateLimit, capacity: Int = 20_000) {
    self.limit = limit
    self.capacity = capacity
  }

  /// Takes one; when there is none, returns the seconds until there is.
  public func take(_ key: String, uptime: Duration) -> Int? {
    let now = uptime.seconds
    return generations.withLock { generations in
      var bucket = generations.young[key] ?? generations.old[key] ?? Bucket(tokens: Double(limit.burst), filledAt: now)
      bucket.tokens = min(Double(limit.burst), bucket.tokens + (now - bucket.filledAt) * Double(limit.perSecond))
      bucket.filledAt = now
      let isAllowed = bucket.tokens >= 1
      if isAllowed { bucket.tokens -= 1 }
      if generations.young[key] == nil, generations.young.count >= capacity {
        generations.old = generations.young
        generations.young = [:]
      }
      generations.young[key] = bucket
      guard !isAllowed else { return nil }
      return max(1, Int(((1 - bucket.tokens) / Double(limit.perSecond)).rounded(.up)))
    }
  }

  /// Takes one; when there is none, throws `rate_limited`, which names the seconds until there is.
  package func require(_ key: String, uptime: Duration) throws(Problem) {
    guard let seconds = take(key, uptime: uptime) else { return }
    throw Problem(.tooManyRequests, code: .rateLimited, retryAfter: seconds)
  }

  /// How many keys are remembered now.
  var count: Int { generations.withLock { $0.young.count + $0.old.count } }
}
