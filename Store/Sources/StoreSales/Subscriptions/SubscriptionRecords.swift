import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The tables of subscriptions. Every call runs inside the caller's transaction.
enum SubscriptionRecords {
  /// The subscription of a key; nil before the first purchase.
  static func subscription(
    _ key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> StoredSubscription? {
    try connection.row(
      "SELECT * FROM subscriptions WHERE account_id = $1 AND app_id = $2 AND group_id = $3", arguments(key)
    ).map(StoredSubscription.init)
  }

  /// The subscriptions of an account, in the order of their apps and groups.
  static func subscriptions(of account: String, in connection: any SQLConnection) throws -> [StoredSubscription] {
    try connection.rows(
      "SELECT * FROM subscriptions WHERE account_id = $1 ORDER BY app_id, group_id", [.text(account)]
    ).map(StoredSubscription.init)
  }

  /// The orders of the last periods of a customer's subscriptions that are over and give access all the same.
  static func ordersInGrace(of customer: Customer, in transaction: StoreTransaction) throws -> Set<UUID> {
    let now = transaction.now
    let all = try subscriptions(of: customer.account, in: transaction).filter { $0.key.app == customer.app }
    return Set(
      all.compactMap { known in
        let machine = known.machine.asOf(now)
        guard let period = machine.period, period.end <= now, machine.isEntitled(at: now) else { return nil }
        return known.lastOrder
      })
  }

  /// The subscription that an order pays a period of, and the period's number.
  static func subscription(
    ofOrder id: UUID, in connection: any SQLConnection
  ) throws -> (subscription: StoredSubscription, number: Int)? {
    let row = try connection.row(
      """
      SELECT s.*, p.number FROM subscription_periods p
      JOIN subscriptions s ON s.account_id = p.account_id AND s.app_id = p.app_id AND s.group_id = p.group_id
      WHERE p.order_id = $1
      """, [.text(id.lowercase)])
    return try row.map { (try StoredSubscription($0), Int(try $0.integer("number"))) }
  }

  /// The subscriptions for which something is due, those that wait longest first: then those whose account is to be
  /// told of something.
  static func due(limit: Int, in transaction: StoreTransaction) throws -> [SubscriptionKey] {
    let keys = try ["wakes_at", "notice_due_at"].flatMap { column in
      try transaction.rows(
        """
        SELECT account_id, app_id, group_id FROM subscriptions WHERE \(column) IS NOT NULL AND \(column) <= $1
        ORDER BY \(column) LIMIT \(limit)
        """, [.date(transaction.now)]
      ).map(SubscriptionKey.init)
    }
    var seen: Set<SubscriptionKey> = []
    return Array(keys.filter { seen.insert($0).inserted }.prefix(limit))
  }

  /// Writes a subscription, new or changed. What is due next is written in the store's time. The transaction appends
  /// the events of the difference.
  ///
  /// Numbered as a change of the account: what its devices know of its entitlements is out of date, also where no order
  /// has changed.
  static func save(_ subscription: StoredSubscription, in transaction: StoreTransaction) throws {
    _ = try AccountChangeRecords.next(of: subscription.key.account, in: transaction)
    let isNoted = SubscriptionEvents.isNoted(subscription.key, in: transaction)
    let before = try isNoted ? nil : machine(of: subscription.key, in: transaction)
    try SubscriptionColumns(
      subscription: subscription, machine: try text(subscription.machine), told: try text(subscription.told),
      wakesAt: subscription.machine.wakesAt.map(transaction.storeTime(of:)),
      noticeDueAt: subscription.untoldNotices.first.map { transaction.storeTime(of: $0.due) }
    ).save(in: transaction)
    if !isNoted { try SubscriptionEvents.note(subscription.key, before: before, in: transaction) }
  }

  /// The machine of a key as of its last write; nil before the first purchase.
  private static func machine(of key: SubscriptionKey, in connection: any SQLConnection) throws -> SubscriptionMachine?
  {
    try connection.row(
      "SELECT machine FROM subscriptions WHERE account_id = $1 AND app_id = $2 AND group_id = $3", arguments(key)
    ).map { try OutboxPayload.value(try $0.text("machine")) }
  }

  /// The subscriptions that use a payment method.
  static func using(method: String, in connection: any SQLConnection) throws -> [StoredSubscription] {
    try connection.rows(
      "SELECT * FROM subscriptions WHERE method_id = $1 ORDER BY app_id, group_id", [.text(method)]
    ).map(StoredSubscription.init)
  }

  /// Takes a method that cannot be charged any more from the subscriptions that use it.
  static func clearMethod(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute("UPDATE subscriptions SET method_id = NULL WHERE method_id = $1", [.text(id)])
  }

  /// Gives the order of a period another number.
  static func setPeriod(_ number: Int, ofOrder order: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE subscription_periods SET number = $2 WHERE order_id = $1", [.text(order.lowercase), .integer(number)])
  }

  /// Looks at a subscription again later, and leaves it as it is.
  static func postpone(_ key: SubscriptionKey, to date: Date, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      UPDATE subscriptions SET wakes_at = $4, notice_due_at = NULL
      WHERE account_id = $1 AND app_id = $2 AND group_id = $3
      """,
      arguments(key) + [.date(date)])
  }

  /// Writes which period an order pays.
  static func insert(
    period number: Int, of key: SubscriptionKey, order: UUID, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      "INSERT INTO subscription_periods(account_id, app_id, group_id, order_id, number) VALUES ($1, $2, $3, $4, $5)",
      arguments(key) + [.text(order.lowercase), .integer(number)])
  }

  /// The subscriptions of an app in the order of their accounts, from one on.
  static func keys(
    of app: String, after last: SubscriptionKey?, limit: Int, in connection: any SQLConnection
  ) throws -> [SubscriptionKey] {
    try connection.rows(
      """
      SELECT account_id, app_id, group_id FROM subscriptions
      WHERE app_id = $1 AND (account_id, group_id) > ($2, $3)
      ORDER BY account_id, group_id LIMIT $4
      """, [.text(app), .text(last?.account ?? ""), .text(last?.group ?? ""), .integer(limit)]
    ).map(SubscriptionKey.init)
  }

  /// The number of active subscriptions of an app at a moment: paid, unpaid within their retries, and paused ones, also
  /// with the renewal switched off.
  ///
  /// - Parameters:
  ///   - group: the only group that counts; nil for all groups.
  ///   - matches: selects subscriptions by their state.
  static func active(
    of app: String, group: String? = nil, at now: Date, in connection: any SQLConnection,
    where matches: (SubscriptionMachine) -> Bool = { _ in true }
  ) throws -> Int {
    let condition = group == nil ? "" : "AND group_id = $5"
    var (count, last) = (0, SubscriptionKey(account: "", app: app, group: ""))
    while true {
      let page = try connection.rows(
        """
        SELECT * FROM subscriptions
        WHERE app_id = $1 AND (account_id, group_id) > ($2, $3) \(condition)
        ORDER BY account_id, group_id LIMIT $4
        """,
        [.text(app), .text(last.account), .text(last.group), .integer(500)] + (group.map { [.text($0)] } ?? [])
      ).map(StoredSubscription.init)
      count += page.lazy.map { $0.machine.asOf(now) }.count { $0.isSubscribed && matches($0) }
      guard let end = page.last?.key else { return count }
      last = end
    }
  }

  /// The orders that were made for a period, the last one first; of these one is paid at most.
  static func orders(
    ofPeriod number: Int, of key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> [UUID] {
    try connection.rows(
      """
      SELECT order_id FROM subscription_periods
      WHERE account_id = $1 AND app_id = $2 AND group_id = $3 AND number = $4 ORDER BY order_id DESC
      """, arguments(key) + [.integer(number)]
    ).map { try $0.uuid("order_id") }
  }

  /// All orders of a subscription with the numbers of their periods, the oldest first.
  static func orders(
    of key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> [(period: Int, order: UUID)] {
    try connection.rows(
      """
      SELECT p.number, p.order_id FROM subscription_periods p JOIN orders o ON o.id = p.order_id
      WHERE p.account_id = $1 AND p.app_id = $2 AND p.group_id = $3 ORDER BY p.number, o.created_at, o.id
      """, arguments(key)
    ).map { (Int(try $0.integer("number")), try $0.uuid("order_id")) }
  }

  private static func arguments(_ key: SubscriptionKey) -> [SQLValue] {
    [.text(key.account), .text(key.app), .text(key.group)]
  }

  private static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// The columns of a subscription.
private struct SubscriptionColumns: TableRecord {
  static let table = "subscriptions"
  let subscription: StoredSubscription
  /// JSON.
  let machine: String
  /// JSON.
  let told: String
  /// In the store's time, as is ``noticeDueAt``.
  let wakesAt: Date?
  let noticeDueAt: Date?

  var key: Columns {
    [
      "account_id": .text(subscription.key.account),
      "app_id": .text(subscription.key.app),
      "group_id": .text(subscription.key.group),
    ]
  }

  var mutable: Columns {
    [
      "machine": .text(machine),
      "wakes_at": .date(wakesAt),
      "first_order_id": .text(subscription.firstOrder.lowercase),
      "last_order_id": .text(subscription.lastOrder.lowercase),
      "renewal_order_id": .text(subscription.renewalOrder?.lowercase),
      "consent_id": .text(subscription.consent),
      "told": .text(told),
      "notice_due_at": .date(noticeDueAt),
      "method_id": .text(subscription.method),
    ]
  }
}

extension SubscriptionKey {
  init(_ row: SQLRow) throws {
    self.init(account: try row.text("account_id"), app: try row.text("app_id"), group: try row.text("group_id"))
  }
}

extension StoredSubscription {
  init(_ row: SQLRow) throws {
    self.init(
      key: try SubscriptionKey(row),
      machine: try JSONDecoder().decode(SubscriptionMachine.self, from: Data(try row.text("machine").utf8)),
      firstOrder: try row.uuid("first_order_id"), lastOrder: try row.uuid("last_order_id"),
      renewalOrder: try row.optionalUUID("renewal_order_id"), consent: try row.optionalText("consent_id"),
      method: try row.optionalText("method_id"), told: try ToldNotices(row))
  }
}

extension ToldNotices {
  fileprivate init(_ row: SQLRow) throws {
    self = try row.optionalText("told").map { try OutboxPayload.value($0) } ?? ToldNotices()
  }
}
