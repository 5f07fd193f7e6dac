import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StorePayments

/// The tables of payments. Every call runs inside the caller's transaction.
package struct PaymentRecords: Sendable {
  func payment(_ id: String, in connection: any SQLConnection) throws -> Payment? {
    try connection.row("SELECT * FROM payments WHERE id = $1", [.text(id)]).map { row in
      guard let order = UUID(text: try row.text("order_id")),
        let state = Payment.State(rawValue: try row.text("state"))
      else { throw StorageError.unexpectedValue(column: "payments", expected: "a UUID and a state") }
      return Payment(
        id: id, orderID: order, provider: try row.text("provider"), method: try row.optionalText("method"),
        isSaved: try row.integer("is_saved") != 0, remembers: try row.integer("remembers") != 0,
        renewalGiver: try row.optionalText("renewal_agreed_by").flatMap(SubscriptionConsent.Giver.init(rawValue:)),
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
    try PaymentColumns(payment: payment, createdAt: transaction.now).update(in: transaction)
  }

  /// Writes a new payment; false when it is there already.
  func insert(_ payment: Payment, in transaction: StoreTransaction) throws -> Bool {
    try PaymentColumns(payment: payment, createdAt: transaction.now).insertIfAbsent(in: transaction)
  }

  /// A Boolean value that indicates whether all payments of an order were cancelled: no provider was asked for money.
  func areAllCancelled(of order: UUID, in connection: any SQLConnection) throws -> Bool {
    let states = try connection.rows("SELECT state FROM payments WHERE order_id = $1", [.text(order.lowercase)])
    return try states.allSatisfy { try $0.text("state") == Payment.State.cancelled.rawValue }
  }

  /// Notes an event of a provider; false when it was noted before.
  func note(event id: String, of provider: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "INSERT INTO provider_events(provider, id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [.text(provider), .text(id), .date(transaction.storeNow)]) > 0
  }
}

/// The columns of a payment.
private struct PaymentColumns: TableRecord {
  static let table = "payments"
  /// The provider's id stays when a report lacks it.
  static let expressions = ["reference": "coalesce($, reference)"]

  let payment: Payment
  let createdAt: Date

  var key: Columns { ["id": .text(payment.id)] }

  var fixed: Columns {
    [
      "order_id": .text(payment.orderID.lowercase),
      "provider": .text(payment.provider),
      "method": .text(payment.method),
      "remembers": .bool(payment.remembers),
      "network_country": .text(payment.networkCountry?.alpha2),
      "created_at": .date(createdAt),
    ]
  }

  var mutable: Columns {
    [
      "amount": .integer(payment.amount.minorUnits),
      "currency": .text(payment.amount.currency.code),
      "is_saved": .bool(payment.isSaved),
      "renewal_agreed_by": .text(payment.renewalGiver?.rawValue),
      "state": .text(payment.state.rawValue),
      "step": .integer(payment.step),
      "decline": .text(payment.decline?.rawValue),
      "reference": .text(payment.reference),
    ]
  }
}
