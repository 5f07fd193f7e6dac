package import CoreMetrics
import OnsideAPI
import StoreBase
import StorePayments
import StoreWeb

/// Counts orders and payments, each after the commit of its change: what was rolled back never counts.
package struct PurchaseMetrics: Sendable {
  private let made: Counter
  private let paid: Counter
  private let finished: Counter
  private let refunded: Counter
  private let failedRefunds: Counter
  private let disputes: Counter
  private let cancelled: CountersByLabel
  private let refused: CountersByLabel
  private let payments: CountersByLabel

  package init(_ factory: any MetricsFactory) {
    func counter(_ name: String) -> Counter { Counter(label: name, dimensions: [], factory: factory) }
    made = counter("onside_orders_made_total")
    paid = counter("onside_purchases_total")
    finished = counter("onside_orders_finished_total")
    refunded = counter("onside_refunds_total")
    failedRefunds = counter("onside_refunds_failed_total")
    disputes = counter("onside_disputes_total")
    let reasons: [CancelReason] = [
      .user, .screenClosed, .expired, .storefrontChanged, .productUnavailable, .subscriptionActive, .offerUsed,
      .accountRemoved,
    ]
    cancelled = CountersByLabel("onside_orders_cancelled_total", by: "reason", reasons.map(\.rawValue), factory)
    let refusals: [ProblemCode] = [
      .appAccountTokenTooLong, .idempotencyKeyReused, .invalidProductIdentifier, .invalidRequest, .notAuthenticated,
      .offerNotEligible, .offerSignatureInvalid, .productNotAvailable, .quantityNotAvailable, .rateLimited,
      .storefrontChanged, .subscriptionActive,
    ]
    refused = CountersByLabel(
      "onside_orders_refused_total", by: "reason", refusals.map(\.rawValue) + ["storage"], factory)
    let outcomes: [Payment.State] = [.succeeded, .declined, .pending, .cancelled, .refunded]
    payments = CountersByLabel("onside_payments_total", by: "outcome", outcomes.map(\.rawValue), factory)
  }

  func orderMade(in transaction: StoreTransaction) { transaction.afterCommit { [made] in made.increment() } }
  func orderPaid(in transaction: StoreTransaction) { transaction.afterCommit { [paid] in paid.increment() } }
  func orderFinished(in transaction: StoreTransaction) {
    transaction.afterCommit { [finished] in finished.increment() }
  }
  func orderRefunded(in transaction: StoreTransaction) {
    transaction.afterCommit { [refunded] in refunded.increment() }
  }

  func refundFailed(in transaction: StoreTransaction) {
    transaction.afterCommit { [failedRefunds] in failedRefunds.increment() }
  }

  func disputeOpened(in transaction: StoreTransaction) {
    transaction.afterCommit { [disputes] in disputes.increment() }
  }

  func orderCancelled(because reason: CancelReason, in transaction: StoreTransaction) {
    transaction.afterCommit { [cancelled] in cancelled.increment(reason.rawValue) }
  }

  func paymentReported(_ state: Payment.State, in transaction: StoreTransaction) {
    transaction.afterCommit { [payments] in payments.increment(state.rawValue) }
  }

  /// Counts an order that was not made. It has no commit.
  func orderRefused(_ error: any Error) {
    switch error {
    case let error as OrderError: refused.increment(error.code.rawValue)
    case StorageError.invalidValue: refused.increment(ProblemCode.invalidRequest.rawValue)
    case is StorageError: refused.increment("storage")
    default: refused.incrementOther()
    }
  }
}
