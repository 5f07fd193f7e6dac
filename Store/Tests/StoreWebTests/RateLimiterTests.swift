import Testing

@testable import StoreWeb

@Suite("Rate limits", .timeLimit(.minutes(5)))
struct RateLimiterTests {
  @Test("STO-5: a key has its burst, then waits, then goes on")
  func burst() {
    let limiter = RateLimiter(RateLimit(perSecond: 2, burst: 3))
    for _ in 0..<3 { #expect(limiter.take("a", uptime: .zero) == nil) }
    #expect(limiter.take("a", uptime: .zero) == 1)
    #expect(limiter.take("b", uptime: .zero) == nil)
    #expect(limiter.take("a", uptime: .milliseconds(500)) == nil)
    #expect(limiter.take("a", uptime: .milliseconds(500)) == 1)
  }

  @Test("STO-5: the memory of a limiter is bounded, whatever keys come")
  func bounded() {
    let limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1), capacity: 100)
    for number in 0..<10_000 { _ = limiter.take("key \(number)", uptime: .zero) }
    #expect(limiter.count <= 200)
  }

  @Test("STO-5: many other keys do not give a used key its burst back at once")
  func remembersRecent() {
    let limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1), capacity: 100)
    #expect(limiter.take("a", uptime: .zero) == nil)
    for number in 0..<99 { _ = limiter.take("key \(number)", uptime: .zero) }
    #expect(limiter.take("a", uptime: .zero) == 1)
  }
}
