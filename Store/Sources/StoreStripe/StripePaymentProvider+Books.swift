package import Foundation
import OnsideCommerce
package import StorePayments

/// Stripe's lists, for a comparison with the store's books.
extension StripePaymentProvider: BookkeepingProvider {
  package func books(since start: Date) async throws -> ProviderBooks {
    let start = machineTime(start)
    let payments = try await client.payments(since: start)
    var books = ProviderBooks()
    books.charges = payments.compactMap { payment in
      guard let charge = payment.metadata?[StripeMetadata.charge],
        let amount = StripeAmount.money(payment.amount, currency: payment.currency)
      else { return nil }
      return ProviderBooks.Charge(
        id: charge, reference: payment.id, isPaid: payment.status == .succeeded, amount: amount)
    }
    books.refunds = try await client.refunds(since: start).compactMap { refund in
      guard let record = refund.record, let amount = record.money, let charge = refund.paymentIntent else { return nil }
      return ProviderBooks.Refund(
        id: record.id, reference: refund.id, charge: charge.id, amount: amount, state: record.state)
    }
    books.disputes = try await client.disputes(since: start).compactMap { dispute in
      guard let charge = dispute.paymentIntent?.id,
        let amount = StripeAmount.money(dispute.amount, currency: dispute.currency)
      else { return nil }
      return ProviderBooks.Dispute(
        reference: dispute.id, charge: charge, amount: amount,
        isWithdrawn: (dispute.balanceTransactions ?? []).reduce(0) { $0 + $1.amount } < 0,
        status: dispute.status.rawValue)
    }
    do throws(StripeError) {
      books.payouts = try await client.payouts(since: start - ProviderPayout.longestJourney).compactMap(\.record)
    } catch {
      // A key from before payouts were compared. The rest is compared in any case.
      guard error.kind == .permission else { throw error }
      books.payouts = nil
    }
    return books
  }
}
