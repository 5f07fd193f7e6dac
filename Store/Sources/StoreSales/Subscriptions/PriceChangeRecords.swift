public import Foundation
import OnsideAPI
public import OnsideCommerce
import StoreAccounts
import StoreBase

/// A price of which a subscriber was told or asked, with what came of it: the evidence of what was agreed.
public struct PriceChange: Sendable, Hashable {
  /// What came of a price: mostly what a subscriber said to it.
  public enum Answer: String, Sendable {
    /// It may be charged.
    case accepted
    /// The subscription is not renewed.
    case declined
    /// Another price took its place before it applied.
    case superseded
    /// No message about it was sent in time before the renewal, which had the price before.
    case deferred
    /// The question had no answer, and the terms of the price keep the one before.
    case unanswered
  }

  let id: String
  /// The product whose price changes.
  public let product: String
  /// The price before.
  public let old: Money
  /// The price from ``appliesAt`` on.
  public let new: Money
  /// Whether it is charged only after an answer.
  public let needsConsent: Bool
  /// When the subscriber was told or asked.
  public let askedAt: Date
  /// When it is charged first, if the subscription goes on.
  public let appliesAt: Date
  /// The ``RenewalPrice``'s id; nil before migration 334.
  var renewalPrice: String?
  /// The answer of the account, or the outcome; nil while open.
  public internal(set) var answer: Answer?
  /// When that was.
  public internal(set) var answeredAt: Date?
}

/// The table of changed prices. Every call runs inside the caller's transaction.
enum PriceChangeRecords {
  static func insert(_ change: PriceChange, of key: SubscriptionKey, in transaction: StoreTransaction) throws {
    try PriceChangeColumns(change: change, subscription: key).insert(in: transaction)
  }

  /// The changes of a subscription's price, the oldest first.
  static func changes(of key: SubscriptionKey, in connection: any SQLConnection) throws -> [PriceChange] {
    try connection.rows(
      """
      SELECT * FROM subscription_prices WHERE account_id = $1 AND app_id = $2 AND group_id = $3 ORDER BY asked_at, id
      """, arguments(key)
    ).map(PriceChange.init)
  }

  static func change(_ id: String, in connection: any SQLConnection) throws -> PriceChange? {
    try connection.row("SELECT * FROM subscription_prices WHERE id = $1", [.text(id)]).map(PriceChange.init)
  }

  static func answer(_ id: String, _ answer: PriceChange.Answer, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE subscription_prices SET answer = $2, answered_at = $3 WHERE id = $1",
      [.text(id), .text(answer.rawValue), .date(transaction.now)])
  }

  static func setDate(_ date: Date, of id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE subscription_prices SET applies_at = $2 WHERE id = $1", [.text(id), .date(date)])
  }

  private static func arguments(_ key: SubscriptionKey) -> [SQLValue] {
    [.text(key.account), .text(key.app), .text(key.group)]
  }
}

extension PriceChange {
  fileprivate init(_ row: SQLRow) throws {
    let currency = try row.currency("currency")
    self.init(
      id: try row.text("id"), product: try row.text("product_id"),
      old: Money(minorUnits: try row.integer("old_amount"), currency: currency),
      new: Money(minorUnits: try row.integer("new_amount"), currency: currency),
      needsConsent: try row.integer("needs_consent") != 0, askedAt: try row.date("asked_at"),
      appliesAt: try row.date("applies_at"), renewalPrice: try row.optionalText("renewal_price_id"),
      answer: try row.optionalText("answer").flatMap(Answer.init(rawValue:)),
      answeredAt: try row.optionalDate("answered_at"))
  }
}

extension PriceChange {
  /// Whether it is neither answered nor charged yet.
  ///
  /// - Parameter period: the last paid one, which may have been paid before it begins.
  func isOpen(at now: Date, after period: PaidPeriod) -> Bool {
    let isCharged =
      period.price == new && period.start.millisecondsSince1970 >= appliesAt.millisecondsSince1970
    return answer == nil && appliesAt > now && !isCharged
  }
}

extension PriceChange {
  /// The latest time at which the message about a rise may be sent; nil for a lower price, and without terms.
  func messageDeadline(for machine: SubscriptionMachine, in connection: any SQLConnection) throws -> Date? {
    guard new.minorUnits > old.minorUnits, let period = machine.period,
      let terms = try RenewalPriceRecords.terms(of: self, in: connection)
    else { return nil }
    return appliesAt - terms.notice(after: period)
  }
}

extension [PriceChange] {
  /// Whether one of them was a rise that was kept, after a moment.
  func hasRise(after start: Date) -> Bool {
    contains {
      $0.new.minorUnits > $0.old.minorUnits && $0.askedAt > start && ($0.answer == nil || $0.answer == .accepted)
    }
  }
}

/// The columns of a new price change.
private struct PriceChangeColumns: TableRecord {
  static let table = "subscription_prices"
  let change: PriceChange
  let subscription: SubscriptionKey

  var key: Columns { ["id": .text(change.id)] }

  var fixed: Columns {
    [
      "account_id": .text(subscription.account),
      "app_id": .text(subscription.app),
      "group_id": .text(subscription.group),
      "product_id": .text(change.product),
      "old_amount": .integer(change.old.minorUnits),
      "new_amount": .integer(change.new.minorUnits),
      "currency": .text(change.new.currency.code),
      "needs_consent": .bool(change.needsConsent),
      "asked_at": .date(change.askedAt),
      "applies_at": .date(change.appliesAt),
      "renewal_price_id": .text(change.renewalPrice),
    ]
  }
}
