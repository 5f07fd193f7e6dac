import Foundation
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct WebhookRetriesTests {
  private static let now = Date(timeIntervalSince1970: 784_111_717)  // Sun, 06 Nov 1994 08:48:37 GMT

  @Test("nine retries without jitter take 75:35:05")
  func sum() {
    let delays = (1...9).compactMap { WebhookRetries.delay(after: $0, jitter: 0) }
    let planned: [TimeInterval] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    let sum: TimeInterval = delays.reduce(0, +)
    #expect(delays == planned)
    // 75 hours, 35 minutes and 5 seconds.
    #expect(sum == 272_105)
  }

  @Test("there is no retry after the tenth failed attempt, nor before the first", arguments: [-1, 0, 10, 11])
  func exhausted(attempts: Int) {
    #expect(WebhookRetries.delay(after: attempts, jitter: 0) == nil)
  }

  @Test("jitter extends a pause by up to a fifth", arguments: [(0.0, 300.0), (0.5, 330.0), (1.0, 360.0)])
  func jitter(jitter: Double, delay: TimeInterval) throws {
    let actual = try #require(WebhookRetries.delay(after: 2, jitter: jitter))
    #expect(abs(actual - delay) < 0.001)
  }

  private static let headers: [(String, TimeInterval?)] = [
    ("120", 120), (" 0 ", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Sun, 06 Nov 1994 08:47:37 GMT", 0),
    ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("1994-11-06T08:49:37Z", nil),
  ]

  @Test("Retry-After is read as seconds or as a date; other forms are ignored", arguments: headers)
  func retryAfter(header: String, seconds: TimeInterval?) {
    #expect(RetryAfter.seconds(header, now: Self.now) == seconds)
  }

  private static let pauses: [(TimeInterval?, TimeInterval)] = [
    (nil, 300), (0, 300), (299, 300), (301, 301), (600, 600), (601, 600), (.infinity, 600),
  ]

  @Test("the requested pause counts between the planned one and twice that", arguments: pauses)
  func pause(requested: TimeInterval?, pause: TimeInterval) {
    #expect(RetryAfter.pause(planned: 300, requested: requested) == pause)
  }
}
