import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The table of messages about subscriptions. Every call runs inside the caller's transaction.
enum SubscriberMessageRecords {
  /// Writes a new message; false when its cause was told already.
  static func insert(_ message: SubscriberMessage, in transaction: StoreTransaction) throws -> Bool {
    try MessageColumns(message: message).insertIfAbsent(in: transaction)
  }

  /// A message; nil when its account was removed.
  static func message(_ id: String, in connection: any SQLConnection) throws -> SubscriberMessage? {
    try connection.row("SELECT * FROM subscription_messages WHERE id = $1", [.text(id)])
      .map(SubscriberMessage.init)
  }

  /// The messages of a subscription, the oldest first.
  static func messages(of key: SubscriptionKey, in connection: any SQLConnection) throws -> [SubscriberMessage] {
    try connection.rows(
      """
      SELECT * FROM subscription_messages WHERE account_id = $1 AND app_id = $2 AND group_id = $3
      ORDER BY created_at, id
      """, [.text(key.account), .text(key.app), .text(key.group)]
    ).map(SubscriberMessage.init)
  }

  /// Whether a message about a subscription has not left yet.
  static func isTelling(_ key: SubscriptionKey, in connection: any SQLConnection) throws -> Bool {
    try connection.row(
      """
      SELECT 1 AS one FROM subscription_messages
      WHERE account_id = $1 AND app_id = $2 AND group_id = $3 AND outcome IS NULL LIMIT 1
      """, [.text(key.account), .text(key.app), .text(key.group)]) != nil
  }

  /// A Boolean value that indicates whether a message about a price was sent after its announcement, and named no later
  /// day.
  ///
  /// - Parameter deadline: the latest time of such a message; nil for any time.
  static func isSent(
    _ change: PriceChange, of key: SubscriptionKey, by deadline: Date?, in connection: any SQLConnection
  ) throws -> Bool {
    try connection.row(
      """
      SELECT 1 AS one FROM subscription_messages
      WHERE account_id = $1 AND app_id = $2 AND group_id = $3 AND product_id = $4 AND amount = $5 AND currency = $6
        AND created_at >= $7 AND kind <> $8 AND outcome = $9 AND about_at <= $10
        AND (tried_at <= $11 OR $11 IS NULL)
      LIMIT 1
      """,
      [
        .text(key.account), .text(key.app), .text(key.group), .text(change.product),
        .integer(change.new.minorUnits), .text(change.new.currency.code), .date(change.askedAt),
        .text(SubscriptionNotice.Kind.unpaid.rawValue), .text(SubscriberMessage.Outcome.sent.rawValue),
        .date(change.appliesAt), .date(deadline),
      ]) != nil
  }

  /// Writes that a message is handed to a sender now, or that it was certainly not accepted.
  static func setTried(_ isTried: Bool, _ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE subscription_messages SET tried_at = $2 WHERE id = $1",
      [.text(id), .date(isTried ? transaction.now : nil)])
  }

  /// Writes what became of a message.
  ///
  /// - Parameter address: where it went, masked.
  static func end(
    _ id: String, as outcome: SubscriberMessage.Outcome, address: String? = nil, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      "UPDATE subscription_messages SET outcome = $2, ended_at = $3, address = $4 WHERE id = $1",
      [.text(id), .text(outcome.rawValue), .date(transaction.now), .text(address)])
  }
}

/// The columns of a new message. A subscription has one message for each cause.
private struct MessageColumns: TableRecord {
  static let table = "subscription_messages"
  let message: SubscriberMessage

  var key: Columns {
    [
      "account_id": .text(message.key.account),
      "app_id": .text(message.key.app),
      "group_id": .text(message.key.group),
      "cause": .text(message.cause),
    ]
  }

  var fixed: Columns {
    [
      "id": .text(message.id),
      "kind": .text(message.notice.kind.rawValue),
      "product_id": .text(message.product),
      "amount": .integer(message.price.minorUnits),
      "old_amount": message.oldPrice.map { SQLValue.integer($0.minorUnits) } ?? .null,
      "currency": .text(message.price.currency.code),
      "about_at": .date(message.notice.date),
      "created_at": .date(message.createdAt),
      "price_change_id": .text(message.priceChange),
    ]
  }
}

extension SubscriberMessage {
  fileprivate init(_ row: SQLRow) throws {
    let currency = try row.currency("currency")
    guard let kind = SubscriptionNotice.Kind(rawValue: try row.text("kind")) else {
      throw StorageError.unexpectedValue(column: "kind", expected: "a kind of message")
    }
    self.init(
      id: try row.text("id"), key: try SubscriptionKey(row),
      notice: SubscriptionNotice(kind: kind, date: try row.date("about_at")), product: try row.text("product_id"),
      price: Money(minorUnits: try row.integer("amount"), currency: currency),
      oldPrice: try row.optionalInteger("old_amount").map { Money(minorUnits: $0, currency: currency) },
      priceChange: try row.optionalText("price_change_id"), createdAt: try row.date("created_at"),
      triedAt: try row.optionalDate("tried_at"),
      outcome: try row.optionalText("outcome").flatMap(Outcome.init(rawValue:)))
  }
}
