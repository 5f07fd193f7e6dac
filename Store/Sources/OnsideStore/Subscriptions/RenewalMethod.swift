import Foundation
import OnsideCommerce

/// What the next charge of a subscription is made with.
struct RenewalMethod: Sendable, Hashable {
  let provider: String
  /// Whether it is kept for the subscription alone, and is none of the account's saved methods.
  let isKept: Bool
  /// What is known of it.
  let details: PaymentMethodDetails
}

extension PaymentRecords {
  /// The method of a subscription's next charge. The one that is kept for the subscription alone comes first; when it
  /// was refused, or there is none, the account's first saved method. Nil without any.
  ///
  /// - Parameter isFirstTry: whether no method was refused for the period yet.
  func renewalMethod(
    of key: SubscriptionKey, isFirstTry: Bool, in connection: any SQLConnection
  ) throws -> RenewalMethod? {
    let saved = try PaymentMethodRecords.methods(of: key.account, in: connection)
    if let kept = try keptMethod(of: key, in: connection), isFirstTry || saved.isEmpty,
      !saved.map(\.reference).contains(MethodReference(provider: kept.provider, kept.details))
    {
      return RenewalMethod(provider: kept.provider, isKept: true, details: kept.details)
    }
    return saved.first.map { RenewalMethod(provider: $0.provider, isKept: false, details: $0.details) }
  }

  /// Whether no provider was asked for money by an order's payments, which have all ended before.
  func areAllCancelled(of order: UUID, in connection: any SQLConnection) throws -> Bool {
    let states = try connection.rows("SELECT state FROM payments WHERE order_id = $1", [.text(order.lowercase)])
    return try states.allSatisfy { try $0.text("state") == Payment.State.cancelled.rawValue }
  }
}
