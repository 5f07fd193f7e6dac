package import Foundation
import OnsideCommerce
import StoreBase

extension ProviderCharge {
  /// Returns the report of the charge of a request; nil for an amount of an unknown currency.
  package func report(of request: ChargeRequest) -> ChargeReport? {
    UUID(text: request.orderID).flatMap { report(ofPayment: request.id, order: $0) }
  }

  /// Returns the report of the charge of a payment; nil for an amount of an unknown currency.
  package func report(ofPayment id: String, order: UUID) -> ChargeReport? {
    money.map {
      ChargeReport(
        id: id, orderID: order, amount: $0, reference: reference, method: method, cardCountry: cardCountry)
    }
  }

  /// Returns the refund of the whole charge, or nil if a part of it is not refunded.
  package func wholeRefund(of report: ChargeReport) -> ProviderRefund? {
    guard refunded >= amount, amount > 0 else { return nil }
    return ProviderRefund(
      state: .succeeded, id: nil, reference: "\(report.id):refund", amount: amount, currency: currency,
      isAnonymous: true)
  }

  /// Returns the event of a charge.
  package func event(_ report: ChargeReport) -> ProviderEvent.Kind {
    wholeRefund(of: report).map { .refunded(report, $0) } ?? state.event(report)
  }
}

extension ChargeState {
  /// Returns the event of a charge in this state.
  package func event(_ report: ChargeReport) -> ProviderEvent.Kind {
    switch self {
    case .succeeded: .succeeded(report)
    case .pending: .pending(report)
    case .requiresAction: .requiresAction(report)
    case .cancelled: .cancelled(report)
    case .declined(let reason): .declined(report, reason)
    }
  }
}
