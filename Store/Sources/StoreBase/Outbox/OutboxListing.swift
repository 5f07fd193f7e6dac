public import Foundation

/// A delivery that waits in the outbox, as the operator sees it.
public struct OutboxListing: Sendable {
  /// The row's number.
  public let id: Int64
  /// The kind of the delivery, such as `payment.refund`.
  public let kind: String
  /// How many tries have failed.
  public let attempts: Int
  /// The time of the next try.
  public let dueAt: Date
  /// The time of the first failure; nil without one.
  public let failingSince: Date?
  /// The type of the last error.
  public let error: String?
  /// What is delivered. Only the handlers of its kind know its form.
  package let payload: String

  init(_ row: SQLRow) throws {
    id = try row.integer("id")
    kind = try row.text("kind")
    attempts = Int(try row.integer("attempts"))
    dueAt = try row.date("due_at")
    failingSince = try row.optionalDate("failing_since")
    error = try row.optionalText("error")
    payload = try row.text("payload")
  }
}
