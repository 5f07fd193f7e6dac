package import Foundation

/// An event for one endpoint.
struct WebhookDelivery: Sendable, Hashable {
  /// The number of the event in the feed of its app.
  let number: Int64
  /// The kind and id of the event's object.
  let object: String
  /// Failed attempts.
  var attempts = 0
  /// The beginning of the first attempt, or the time of the row; nil for an event that waits for its first attempt.
  var startedAt: Date?
  /// The time of the next attempt; nil if the retries are exhausted.
  var dueAt: Date?
  /// True if the delivery has a row.
  var isStored = false

  func isDue(at now: Date) -> Bool { dueAt.map { $0 <= now } ?? false }
}

/// An attempt in the log.
package struct LoggedAttempt: Sendable, Hashable {
  /// The id of the event.
  package let event: String
  /// The end of the attempt, by the store's clock.
  package let endedAt: Date
  package let outcome: WebhookOutcome
  package let status: Int?
  /// The beginning of a failed attempt's answer; empty for a success.
  package let answer: String
  package let milliseconds: Int64
}

/// The changes of an endpoint that one transaction writes.
struct DeliveryChanges: Sendable, Equatable {
  enum Failing: Sendable, Equatable {
    case began(Date)
    case ended
  }

  /// The new cursor.
  var cursor: Int64 = 0
  /// Rows to write, by number.
  var stored: [Int64: WebhookDelivery] = [:]
  /// The numbers of rows to delete.
  var deleted: [Int64] = []
  var attempts: [LoggedAttempt] = []
  var failing: Failing?
  var disabled: WebhookEndpoint.DisabledReason?

  /// True if there is more to write than the cursor.
  var areUrgent: Bool {
    !stored.isEmpty || !deleted.isEmpty || !attempts.isEmpty || failing != nil || disabled != nil
  }
}
