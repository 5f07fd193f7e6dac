package import Foundation

/// The result of one attempt.
package struct WebhookAttempt: Sendable, Hashable {
  /// The maximum size of ``answer`` in bytes of UTF-8.
  package static let answerLimit = 2048

  /// The outcome.
  package let outcome: WebhookOutcome
  /// The status of the answer; nil without one.
  package let status: Int?
  /// The beginning of the body of the answer, without control characters. Operators alone may see it.
  package let answer: String
  /// The seconds that the header `Retry-After` asks for; nil without one.
  package let retryAfter: TimeInterval?
  /// The time of the whole exchange.
  package let took: Duration

  package init(
    outcome: WebhookOutcome, status: Int? = nil, answer: String = "", retryAfter: TimeInterval? = nil, took: Duration
  ) {
    self.outcome = outcome
    self.status = status
    self.answer = answer
    self.retryAfter = retryAfter
    self.took = took
  }

  /// True if the receiver or its proxy asks for fewer requests: 429, 502 and 504.
  package var asksForSlowdown: Bool { status.map { [429, 502, 504].contains($0) } ?? false }
}
