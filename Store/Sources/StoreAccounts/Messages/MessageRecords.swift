import Foundation
import StoreBase
import StoreWeb

/// Who messages go to.
enum MessageRecipients: Sendable {
  case phones, mailboxes
}

/// A message that is to be sent.
struct MessageDelivery: Sendable {
  /// The id of its code.
  var id: String
  var to: Contact
  var language: Language
  /// The time at which the code was requested, which decides about its key.
  var sentAt: Date
  /// How often it was tried, this time included.
  var tries: Int64
}

/// The columns of the table of one-time codes that say whether a code's message has gone out.
enum MessageRecords {
  /// Whether a message is due.
  static func isDue(_ recipients: MessageRecipients, in transaction: StoreTransaction) throws -> Bool {
    try transaction.row(due(recipients, limit: 1), [.date(transaction.now)]) != nil
  }

  /// Takes the messages that have been due longest: for `lease` seconds nobody else takes them.
  static func claim(
    _ recipients: MessageRecipients, limit: Int, lease: TimeInterval, in transaction: StoreTransaction
  ) throws -> [MessageDelivery] {
    try transaction.rows(
      """
      UPDATE one_time_codes SET next_delivery_at = $2, deliveries = deliveries + 1
      WHERE id IN (\(due(recipients, limit: limit)))
      RETURNING id, phone, language, sent_at, deliveries
      """, [.date(transaction.now), .date(transaction.now + lease)]
    ).map { row in
      guard let contact = try Contact(stored: row.text("phone")) else {
        throw StorageError.unexpectedValue(column: "phone", expected: "a phone number or an e-mail address")
      }
      return MessageDelivery(
        id: try row.text("id"), to: contact, language: Language(rawValue: try row.text("language")) ?? .english,
        sentAt: try row.date("sent_at"), tries: try row.integer("deliveries"))
    }
  }

  static func setDelivered(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE one_time_codes SET delivered_at = $2 WHERE id = $1", [.text(id), .date(transaction.now)])
  }

  /// Postpones a message that has not gone out, unless another process has claimed it since: that one's claim lasts.
  static func setNextTry(of delivery: MessageDelivery, at next: Date, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE one_time_codes SET next_delivery_at = $2 WHERE id = $1 AND delivered_at IS NULL AND deliveries = $3",
      [.text(delivery.id), .date(next), .integer(delivery.tries)])
  }

  /// Selects what is due at `$1`. The column `phone` holds numbers and addresses.
  private static func due(_ recipients: MessageRecipients, limit: Int) -> String {
    let condition =
      switch recipients {
      case .phones: "phone NOT LIKE '%@%'"
      case .mailboxes: "phone LIKE '%@%'"
      }
    return """
      SELECT id FROM one_time_codes
      WHERE delivered_at IS NULL AND next_delivery_at <= $1 AND expires_at > $1 AND \(condition)
      ORDER BY next_delivery_at, id LIMIT \(limit)
      """
  }
}
