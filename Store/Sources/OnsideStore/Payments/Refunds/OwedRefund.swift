public import OnsideCommerce

/// A failed refund whose money the store still has and owes to the buyer.
public struct OwedRefund: Sendable, Hashable {
  /// The refund that has failed.
  public let refund: Refund
  /// What is owed: the refund's amount, or what is left of the payment.
  public let amount: Money

  /// - Parameter left: what is left of the payment, in the currency's smallest unit.
  init(_ refund: Refund, left: Int64) {
    self.refund = refund
    amount = Money(minorUnits: min(left, refund.amount.minorUnits), currency: refund.amount.currency)
  }
}

extension [OwedRefund] {
  /// What is owed in all, in each currency.
  public var sums: [Money] {
    Dictionary(grouping: map(\.amount), by: \.currency)
      .map { currency, amounts in
        Money(minorUnits: amounts.reduce(0) { $0 + $1.minorUnits }, currency: currency)
      }
      .sorted { $0.currency.code < $1.currency.code }
  }
}
