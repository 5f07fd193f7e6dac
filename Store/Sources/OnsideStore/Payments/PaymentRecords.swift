import Foundation
import OnsideAPI
import OnsideCommerce

/// The tables of payments. Every call runs inside the caller's transaction.
struct PaymentRecords: Sendable {
  func payment(_ id: String, in connection: any SQLConnection) throws -> Payment? {
    try connection.row("SELECT * FROM payments WHERE id = $1", [.text(id)]).map { row in
      guard let order = UUID(text: try row.text("order_id")),
        let state = Payment.State(rawValue: try row.text("state"))
      else { throw StorageError.unexpectedValue(column: "payments", expected: "a UUID and a state") }
      return Payment(
        id: id, orderID: order, provider: try row.text("provider"), method: try row.optionalText("method"),
        isSaved: try row.integer("is_saved") != 0, remembers: try row.integer("remembers") != 0,
        keeps: try row.integer("keeps") != 0, keptMethod: try row.optionalText("kept_method"),
        amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")), state: state,
        decline: try row.optionalText("decline").map { DeclineReason(rawValue: $0) },
        reference: try row.optionalText("reference"),
        networkCountry: try row.optionalText("network_country").flatMap(CountryCode.init(alpha2:)),
        step: try row.integer("step"))
    }
  }

  /// Whether a payment waits for its buyer and was begun after a time.
  func isWithBuyer(_ id: String, since time: Date, in connection: any SQLConnection) throws -> Bool {
    try connection.row(
      "SELECT id FROM payments WHERE id = $1 AND state = 'second_step' AND is_saved = 0 AND created_at > $2",
      [.text(id), .date(time)]) != nil
  }

  /// Writes a payment, new or changed.
  func save(_ payment: Payment, in transaction: StoreTransaction) throws {
    guard try !insert(payment, in: transaction) else { return }
    try transaction.execute(
      "UPDATE payments SET state = $2, step = $3, decline = $4, reference = coalesce($5, reference) WHERE id = $1",
      [
        .text(payment.id), .text(payment.state.rawValue), .integer(payment.step), .text(payment.decline?.rawValue),
        .text(payment.reference),
      ])
  }

  /// Writes a new payment; false when it is there already.
  func insert(_ payment: Payment, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO payments(
        id, order_id, provider, method, is_saved, remembers, amount, currency, state, decline, reference, created_at,
        step, network_country, keeps, kept_method)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT(id) DO NOTHING
      """,
      [
        .text(payment.id), .text(payment.orderID.lowercase), .text(payment.provider), .text(payment.method),
        .integer(payment.isSaved ? 1 : 0), .integer(payment.remembers ? 1 : 0), .integer(payment.amount.minorUnits),
        .text(payment.amount.currency.code), .text(payment.state.rawValue), .text(payment.decline?.rawValue),
        .text(payment.reference), .date(transaction.now), .integer(payment.step),
        .text(payment.networkCountry?.alpha2), .integer(payment.keeps ? 1 : 0), .text(payment.keptMethod),
      ]) > 0
  }

  /// Notes the provider's id of a payment's method, under which the renewals of its subscription are charged.
  func keep(_ method: String, of payment: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE payments SET kept_method = $2 WHERE id = $1 AND keeps = 1", [.text(payment), .text(method)])
  }

  /// Forgets a method that its provider charges no more, wherever it is kept.
  func forgetKept(_ method: String, at provider: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE payments SET kept_method = NULL WHERE provider = $1 AND kept_method = $2",
      [.text(provider), .text(method)])
  }

  /// Forgets a method that an account has removed.
  func forgetKept(
    _ method: String, at provider: String, of account: String, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      UPDATE payments SET kept_method = NULL WHERE provider = $1 AND kept_method = $2
        AND order_id IN (SELECT id FROM orders WHERE account_id = $3)
      """, [.text(provider), .text(method), .text(account)])
  }

  /// The method that is kept for a subscription: that of its newest period which was paid with one.
  func keptMethod(
    of key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> (provider: String, reference: String)? {
    try connection.row(
      """
      SELECT p.provider, p.kept_method FROM subscription_periods s JOIN payments p ON p.order_id = s.order_id
      WHERE s.account_id = $1 AND s.app_id = $2 AND s.group_id = $3 AND p.kept_method IS NOT NULL
        AND p.state = 'succeeded'
      ORDER BY s.number DESC, p.created_at DESC LIMIT 1
      """, [.text(key.account), .text(key.app), .text(key.group)]
    ).map { (try $0.text("provider"), try $0.text("kept_method")) }
  }

  /// Forgets the methods that are kept for subscriptions of an account, and returns them.
  func forgetKeptMethods(
    of account: String, in transaction: StoreTransaction
  ) throws -> [(provider: String, reference: String)] {
    let condition = "kept_method IS NOT NULL AND order_id IN (SELECT id FROM orders WHERE account_id = $1)"
    let kept = try transaction.rows(
      "SELECT DISTINCT provider, kept_method FROM payments WHERE \(condition)", [.text(account)]
    ).map { (try $0.text("provider"), try $0.text("kept_method")) }
    try transaction.execute("UPDATE payments SET kept_method = NULL WHERE \(condition)", [.text(account)])
    return kept
  }

  /// Notes an event of a provider; false when it was noted before.
  func note(event id: String, of provider: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "INSERT INTO provider_events(provider, id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [.text(provider), .text(id), .date(transaction.storeNow)]) > 0
  }
}
