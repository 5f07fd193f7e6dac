import Foundation
import OnsideAPI
import OnsideCommerce

/// A payment: one try to pay an order.
struct Payment: Sendable {
  enum State: String, Sendable {
    case started
    case secondStep = "second_step"
    case pending
    case succeeded
    case declined
    case refunded

    /// Whether an event that tells of another state still counts.
    func mayBecome(_ next: State) -> Bool {
      switch self {
      case .refunded: false
      case .succeeded: next == .refunded
      case .started, .secondStep, .pending, .declined: true
      }
    }
  }

  let id: String
  let orderID: UUID
  let method: String?
  let amount: Money
  var state: State
  /// How many times the provider was called to move the money. An answer to an earlier call says nothing any more.
  var step: Int64 = 0

  /// Whether the store asked for it; else it was made on the provider's own page.
  var isOurs: Bool { method != nil }

  /// What a provider is handed.
  func handedOver(startBefore: Date? = nil) -> ProviderPayment {
    ProviderPayment(
      id: id, orderID: orderID.lowercase, method: method ?? "", amount: amount.minorUnits,
      currency: amount.currency.code, step: step, startBefore: startBefore)
  }
}

/// The tables of payments. Every call runs inside the caller's transaction.
struct PaymentRecords: Sendable {
  let provider: String

  func payment(_ id: String, in connection: any SQLConnection) throws -> Payment? {
    try connection.row("SELECT * FROM payments WHERE id = $1", [.text(id)]).map { row in
      guard let order = UUID(text: try row.text("order_id")),
        let state = Payment.State(rawValue: try row.text("state"))
      else { throw StorageError.unexpectedValue(column: "payments", expected: "a UUID and a state") }
      return Payment(
        id: id, orderID: order, method: try row.optionalText("method"),
        amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")), state: state,
        step: try row.integer("step"))
    }
  }

  /// Writes a payment, new or changed.
  func save(_ payment: Payment, in transaction: StoreTransaction) throws {
    guard try !insert(payment, in: transaction) else { return }
    try transaction.execute(
      "UPDATE payments SET state = $2, step = $3 WHERE id = $1",
      [.text(payment.id), .text(payment.state.rawValue), .integer(payment.step)])
  }

  /// Writes a new payment; false when it is there already.
  func insert(_ payment: Payment, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO payments(id, order_id, provider, method, amount, currency, state, created_at, step)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT(id) DO NOTHING
      """,
      [
        .text(payment.id), .text(payment.orderID.lowercase), .text(provider), .text(payment.method),
        .integer(payment.amount.minorUnits), .text(payment.amount.currency.code), .text(payment.state.rawValue),
        .date(transaction.now), .integer(payment.step),
      ]) > 0
  }

  /// Notes an event; false when it was noted before.
  func note(event id: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "INSERT INTO provider_events(provider, id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [.text(provider), .text(id), .date(transaction.now)]) > 0
  }
}
