public import Foundation

/// A delivery that waits in the outbox, as the operator sees it: without its payload.
public struct OutboxListing: Sendable {
  /// The row's number.
  public let id: Int64
  /// The kind of the delivery, such as `payment.refund`.
  public let kind: String
  /// The order that it is about, where it is about one.
  public let order: String?
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

  init(_ row: SQLRow) throws {
    id = try row.integer("id")
    kind = try row.text("kind")
    order = Subject.order(of: try row.text("payload"))
    attempts = Int(try row.integer("attempts"))
    dueAt = try row.date("due_at")
    failingSince = try row.optionalDate("failing_since")
    setAsideAt = try row.optionalDate("set_aside_at")
    error = try row.optionalText("error")
  }

  /// The order's id in a payload, under the key of the store or of its provider's events.
  private struct Subject: Decodable {
    let asked: String?
    let told: String?

    enum CodingKeys: String, CodingKey {
      case asked = "orderID"
      case told = "order_id"
    }

    static func order(of payload: String) -> String? {
      let subject = try? JSONDecoder().decode(Subject.self, from: Data(payload.utf8))
      return subject?.asked ?? subject?.told
    }
  }
}
