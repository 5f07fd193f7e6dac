public import Foundation
import Logging
public import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StorePayments

/// Refunds paid orders, in parts or as a whole, and applies the results.
public final class RefundService: Sendable {
  private let dependencies: BaseDependencies
  private let orders: OrderRecords
  private let payments: PaymentRecords
  private let settlement: RefundSettlement
  private let events: ProviderEvents
  private let changes: ChangeHub

  package init(
    _ dependencies: BaseDependencies, orders: OrderRecords, payments: PaymentRecords, settlement: RefundSettlement,
    events: ProviderEvents, changes: ChangeHub
  ) {
    self.dependencies = dependencies
    (self.orders, self.payments, self.settlement, self.events) = (orders, payments, settlement, events)
    self.changes = changes
  }

  /// Requests a refund of an order. A refund of the whole price revokes the purchase; a partial refund does so by the
  /// app's ``RefundRule``.
  ///
  /// - Parameters:
  ///   - refundID: the id of the refund; nil for a new one.
  ///   - amount: the amount; nil for the unrefunded part of the price.
  /// - Returns: the refund; nil if the order is refunded and revoked.
  /// - Throws: `OrderTransitionError` if nothing was paid, `RefundError` for an amount that is not left, and
  ///   `OrderError.notFound` for an unknown order.
  @discardableResult
  public func refund(
    _ id: UUID, as refundID: UUID? = nil, amount: Money? = nil, because reason: RevocationReason
  ) async throws -> Refund? {
    let now = dependencies.clock.now()
    let refundID = (refundID ?? dependencies.random.uuid7(at: now)).lowercase
    let (refund, account) = try await dependencies.database.write(at: now) {
      [orders, settlement, environment] transaction in
      guard var order = try orders.order(id, in: transaction) else { throw OrderError.notFound }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      let refund = try settlement.refund(
        refundID, of: &order, amount: amount, because: reason, in: transaction)
      return (refund, order.accountID)
    }
    changes.wake(account: account)
    return refund
  }

  private var environment: StoreEnvironment { dependencies.environment }

  /// The refunds of an order, the oldest first.
  public func refunds(of order: UUID) async throws -> [Refund] {
    try await dependencies.database.read { try RefundRecords.refunds(of: order, in: $0) }
  }

  /// Returns the failed refunds whose money the store owes, those of one payment together.
  public func owed() async throws -> [OwedRefund] {
    try await dependencies.database.read { try RefundRecords.owed(in: $0) }
  }

  /// Repeats a failed refund, once.
  ///
  /// - Throws: `RefundError` if it is not owed or a bank holds the money.
  @discardableResult
  public func repeatRefund(_ id: String) async throws -> Refund {
    try await change(id) { try $0.repeatRefund(id, of: &$1, in: $2) }
  }

  /// Closes a failed refund without another one, because its buyer has the money in another way or keeps the purchase.
  ///
  /// - Throws: `RefundError.notOwed`.
  public func closeRefund(_ id: String) async throws {
    try await change(id) { try $0.closeRefund(id, of: &$1, in: $2) }
  }

  private func change<Result: Sendable>(
    _ refund: String,
    _ body: @escaping @Sendable (RefundSettlement, inout Order, StoreTransaction) throws -> Result
  ) async throws -> Result {
    let (result, account) = try await dependencies.database.write(at: dependencies.clock.now()) {
      [orders, settlement, environment] transaction in
      guard let failed = try RefundRecords.refund(refund, in: transaction),
        var order = try orders.order(failed.orderID, in: transaction)
      else { throw RefundError.notOwed(refund) }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      return (try body(settlement, &order, transaction), order.accountID)
    }
    changes.wake(account: account)
    return result
  }

  /// Sends a refund to its provider. The outbox may call it repeatedly and late.
  package func send(_ request: RefundRequest, to provider: any PaymentProvider) async throws {
    guard case .known(let answer) = try await provider.refund(request), let order = UUID(text: request.orderID) else {
      return
    }
    let account = try await dependencies.database.write(at: dependencies.clock.now()) {
      [payments, events] transaction -> String? in
      guard let payment = try payments.payment(request.chargeID, in: transaction) else { return nil }
      let charge = ChargeReport(
        id: payment.id, orderID: order, amount: payment.amount, reference: payment.reference)
      let told = ProviderRefund(
        state: answer.state, id: request.id, reference: answer.reference, amount: answer.amount,
        currency: answer.currency)
      switch answer.state {
      case .pending: return nil
      case .succeeded: return try events.apply(.refunded(charge, told), from: payment.provider, in: transaction)
      case .failed: return try events.apply(.refundFailed(charge, told), from: payment.provider, in: transaction)
      }
    }
    if case .failed(let reason) = answer.state {
      dependencies.logger.error("a refund has failed", metadata: ["refund": "\(request.id)", "reason": "\(reason)"])
    }
    if let account { changes.wake(account: account) }
  }
}
