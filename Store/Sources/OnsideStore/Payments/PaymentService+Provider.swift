import Foundation
import OnsideAPI
import OnsideCommerce

/// The outbox's handlers. The outbox may call each of them repeatedly and late.
extension PaymentService {
  /// How long the store retries to start or confirm a payment at a provider that does not answer, in seconds. A buyer
  /// does not expect a charge after that.
  static let startLimit: TimeInterval = 10 * 60
  /// The most seconds until the store retries to start or confirm a payment: a buyer waits for it.
  static let longestRetryDelay: TimeInterval = 60

  /// Asks the provider to start a payment.
  func start(_ payload: String, with provider: any PaymentProvider) async throws {
    let handed = try PaymentOutboxKind.payment(payload)
    guard let id = UUID(uuidString: handed.orderID), try await isWanted(handed, of: id, with: provider),
      case .needsSecondStep = try await provider.start(handed)
    else { return }
    try await change(handed, of: id) { [orders, payments] order, payment, transaction in
      var payment = payment
      payment.state = .secondStep
      try payments.save(payment, in: transaction)
      // The provider waits for the buyer's second step: the order is open again, and the buyer may cancel it.
      _ = try order.state.handle(.paymentDeclined, at: transaction.now)
      try orders.update(order, in: transaction)
    }
  }

  /// Asks the provider to go on with a payment whose second step is done.
  func confirm(_ payload: String, with provider: any PaymentProvider) async throws {
    let handed = try PaymentOutboxKind.payment(payload)
    guard let id = UUID(uuidString: handed.orderID), try await isWanted(handed, of: id, with: provider) else { return }
    try await provider.confirm(handed)
  }

  /// Whether a payment is still to be made: its order waits for money, and it is not too late.
  private func isWanted(
    _ handed: ProviderPayment, of id: UUID, with provider: any PaymentProvider
  ) async throws -> Bool {
    let stage = try await dependencies.database.read { [orders] in try orders.order(id, in: $0)?.state.stage }
    guard stage == .open || stage == .processing else { return false }
    guard let limit = handed.startBefore, limit <= dependencies.clock.now() else { return true }
    try await end(handed, of: id, with: provider)
    return false
  }

  /// Ends a payment whose time is over, by the provider's record of it. A payment without a record is declined, and its
  /// order cancelled.
  private func end(_ handed: ProviderPayment, of id: UUID, with provider: any PaymentProvider) async throws {
    let record = try await provider.status(of: handed)
    try await change(handed, of: id) { [orders, settlement] order, payment, transaction in
      let amount = record?.money ?? payment.amount
      try settlement.apply(
        record?.kind ?? .declined, paymentID: payment.id, amount: amount, to: &order, in: transaction)
      if record == nil { try orders.cancel(&order, because: .expired, in: transaction) }
    }
  }

  /// Changes a payment's order, unless the payment has advanced since the outbox row was written.
  private func change(
    _ handed: ProviderPayment, of id: UUID,
    _ body: @escaping @Sendable (inout Order, Payment, StoreTransaction) throws -> Void
  ) async throws {
    let account = try await dependencies.database.write(at: dependencies.clock.now()) {
      [orders, payments] transaction -> String? in
      guard var order = try orders.order(id, in: transaction),
        let payment = try payments.payment(handed.id, in: transaction),
        order.paymentID == payment.id, payment.state == .started, payment.step == handed.step ?? payment.step
      else { return nil }
      try body(&order, payment, transaction)
      return order.accountID
    }
    if let account { changes.wake(account: account) }
  }
}
