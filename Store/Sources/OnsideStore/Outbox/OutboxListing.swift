public import Foundation

/// A delivery that waits in the outbox, as the operator sees it.
public struct OutboxListing: Sendable {
  /// The row's number.
  public let id: Int64
  /// The kind of the delivery, such as `payment.refund`.
  public let kind: String
  /// How many tries have failed.
  public let attempts: Int
  /// When it is tried next, unless it is set aside.
  public let dueAt: Date
  /// When it failed first; nil when it has not.
  public let failingSince: Date?
  /// Since when it is tried no more; nil while it is.
  public let setAsideAt: Date?
  /// The type of the last error.
  public let error: String?
  /// What is delivered. Only the handlers of its kind know its form.
  let payload: String

  init(_ row: SQLRow) throws {
    id = try row.integer("id")
    kind = try row.text("kind")
    attempts = Int(try row.integer("attempts"))
    dueAt = try row.date("due_at")
    failingSince = try row.optionalDate("failing_since")
    setAsideAt = try row.optionalDate("set_aside_at")
    error = try row.optionalText("error")
    payload = try row.text("payload")
  }
}
