import Foundation
import Logging
import OnsideCommerce
import StoreBase
import StorePayments

/// Disputes, early fraud warnings, and what Stripe takes for its work.
extension StripePaymentProvider {
  /// All that a dispute has come to, in the order in which it came. Each is applied once, however often it is told.
  func disputeEvents(_ id: String) async throws -> [ProviderEvent.Kind] {
    guard let dispute = try await present({ () async throws(StripeError) in try await client.dispute(id) }),
      let payment = dispute.paymentIntent, let told = dispute.record,
      var report = try await report(try await client.payment(payment.id))
    else { return [] }
    let moves = dispute.balanceTransactions ?? []
    report.fees = moves.compactMap(\.providerFee)
    var kinds = [ProviderEvent.Kind.disputeOpened(report, told)]
    if moves.contains(where: { $0.amount < 0 }) { kinds.append(.fundsWithdrawn(report, told)) }
    // A part that comes back is not the end of the withdrawal.
    let isBack = moves.contains { $0.amount > 0 } && moves.reduce(0) { $0 + $1.amount } >= 0
    if isBack { kinds.append(.fundsReinstated(report, told)) }
    if let outcome = dispute.outcome { kinds.append(.disputeClosed(report, told, outcome)) }
    return kinds
  }

  /// A bank's warning.
  func warningEvent(_ id: String) async throws -> ProviderEvent.Kind? {
    guard let warning = try await present({ () async throws(StripeError) in try await client.earlyFraudWarning(id) }),
      let payment = warning.paymentIntent, let report = try await report(try await client.payment(payment.id))
    else { return nil }
    return .earlyFraudWarning(report, reference: warning.id)
  }

  /// A report with what Stripe took for the charge.
  func withFees(_ report: ChargeReport, of payment: StripePaymentIntent) async -> ChargeReport {
    guard let charge = payment.latestCharge else { return report }
    var report = report
    do throws(StripeError) {
      report.fees = try await client.balanceTransactions(of: charge.id).compactMap(\.providerFee)
    } catch {
      // The sale counts for more than its fee, and does not wait for it.
      report.lacksFees = true
      dependencies.logger.warning("the fee of a charge is not known", metadata: ["error": "\(error)"])
    }
    return report
  }
}

extension StripeDispute {
  /// What the store keeps of it; nil in a currency that the store does not know.
  fileprivate var record: ProviderDispute? {
    StripeAmount.money(amount, currency: currency).map { amount in
      ProviderDispute(
        reference: id, amount: amount, reason: reason,
        answerBy: evidenceIsDue
          ? evidenceDetails?.dueBy.map { Date(timeIntervalSince1970: TimeInterval($0)) } : nil)
    }
  }

  private var evidenceIsDue: Bool { status == .needsResponse || status == .warningNeedsResponse }

  /// How it ended; nil before. A bank's question that was closed has moved no money. One that was settled before it
  /// became a dispute (`prevented`) is lost when the money was taken.
  fileprivate var outcome: DisputeOutcome? {
    switch status {
    case .won, .warningClosed: .won
    case .lost: .lost
    case .prevented: (balanceTransactions ?? []).contains { $0.amount < 0 } ? .lost : .won
    default: nil
    }
  }
}

extension StripeBalanceTransaction {
  /// What Stripe took with this movement; nil when that is nothing.
  fileprivate var providerFee: ProviderFee? {
    guard fee != 0, let money = StripeAmount.money(abs(fee), currency: currency) else { return nil }
    let amount = Money(minorUnits: fee < 0 ? -money.minorUnits : money.minorUnits, currency: money.currency)
    return ProviderFee(reference: id, amount: amount)
  }
}
