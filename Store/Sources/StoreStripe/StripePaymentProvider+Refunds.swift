import Foundation
import Logging
import OnsideCommerce
import StoreBase
package import StorePayments

/// Refunds.
extension StripePaymentProvider {
  package func refund(_ request: RefundRequest) async throws -> RefundAnswer {
    guard let payment = request.chargeReference else {
      // The charge was never told of: there is nothing at Stripe to give back.
      return .known(request.failed("no_payment"))
    }
    guard let money = request.money, let amount = try? StripeAmount(money) else {
      return .known(request.failed("amount"))
    }
    if mayBeForgotten(request.askedAt), let known = try await find(request, of: payment) { return .known(known) }
    do throws(StripeError) {
      let metadata = [
        StripeMetadata.refund: request.id, StripeMetadata.charge: request.chargeID,
        StripeMetadata.order: request.orderID,
      ]
      return .known(
        try await make(key: { StripeIdempotencyKey(request.idempotencyKey, attempt: $0) }) {
          key async throws(StripeError) in
          try await client.createRefund(of: payment, amount: amount, metadata: metadata, key: key)
            .record(orElse: request)
        } lookUp: { () async throws(StripeError) in
          try await find(request, of: payment)
        })
    } catch {
      // A payment that is not there: the keys are of another account, until the operator has put that right.
      guard error.kind == .invalidRequest, error.details.code != "resource_missing" else { throw error }
      dependencies.logger.error("refund refused by Stripe", metadata: ["error": "\(error)", "refund": "\(request.id)"])
      return .known(request.failed(error.details.code ?? "invalid_request"))
    }
  }

  private func find(_ request: RefundRequest, of payment: String) async throws(StripeError) -> ProviderRefund? {
    try await client.refunds(of: payment).first { $0.metadata?[StripeMetadata.refund] == request.id }?
      .record(orElse: request)
  }
}

extension RefundRequest {
  fileprivate func failed(_ reason: String) -> ProviderRefund {
    ProviderRefund(state: .failed(reason: reason), id: id, reference: id, amount: amount, currency: currency)
  }
}

extension StripeRefund {
  /// What Stripe has of a refund; nil for one in a currency that the store does not know.
  var record: ProviderRefund? {
    StripeAmount.money(amount, currency: currency).map { money in
      ProviderRefund(
        state: state, id: metadata?[StripeMetadata.refund], reference: id, amount: money.minorUnits,
        currency: money.currency.code)
    }
  }

  fileprivate func record(orElse request: RefundRequest) -> ProviderRefund {
    record
      ?? ProviderRefund(
        state: state, id: request.id, reference: id, amount: request.amount, currency: request.currency)
  }

  private var state: ProviderRefund.State {
    switch status {
    case .succeeded?: .succeeded
    case .failed?, .canceled?: .failed(reason: failureReason ?? status?.rawValue ?? "unknown")
    default: .pending
    }
  }
}
