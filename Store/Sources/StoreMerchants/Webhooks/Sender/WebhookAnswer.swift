import Foundation
import Synchronization

/// The received part of an answer. The status decides on the outcome, even if the body does not end.
final class WebhookAnswer: Sendable {
  private struct State {
    var status: Int?
    var retryAfter: TimeInterval?
    var bytes: [UInt8] = []
    var size = 0
  }

  private let state = Mutex(State())

  /// Stores the head.
  func begin(status: Int, retryAfter: TimeInterval?) {
    state.withLock { ($0.status, $0.retryAfter) = (status, retryAfter) }
  }

  /// Stores the next part of the body up to the limit. Returns true if the body is longer than the limit.
  func append(_ part: some Collection<UInt8>) -> Bool {
    state.withLock { state in
      state.size += part.count
      state.bytes += part.prefix(WebhookAttempt.answerLimit - state.bytes.count)
      return state.size > WebhookAttempt.answerLimit
    }
  }

  /// The attempt with this answer.
  ///
  /// - Parameter failure: The outcome without a status.
  func attempt(failure: WebhookOutcome, took: Duration) -> WebhookAttempt {
    let state = state.withLock { $0 }
    guard let status = state.status else { return WebhookAttempt(outcome: failure, took: took) }
    return WebhookAttempt(
      outcome: Self.outcome(of: status), status: status, answer: Self.text(state.bytes),
      retryAfter: state.retryAfter, took: took)
  }

  static func outcome(of status: Int) -> WebhookOutcome {
    switch status {
    case 200..<300: .delivered
    case 300..<400: .redirected
    case 410: .gone
    default: .rejectedStatus
    }
  }

  /// The text of a body without control characters, up to the limit in UTF-8 also after replacements of invalid bytes.
  static func text(_ bytes: [UInt8]) -> String {
    var text = ""
    var size = 0
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      guard "\n\t".unicodeScalars.contains(scalar) || scalar.properties.generalCategory != .control else { continue }
      size += scalar.utf8.count
      guard size <= WebhookAttempt.answerLimit else { break }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
