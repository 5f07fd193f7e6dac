public import OnsideCommerce

/// A failed refund whose money the store still has and owes to the buyer.
public struct OwedRefund: Sendable, Hashable {
  /// The refund that has failed.
  public let refund: Refund
  /// What is owed: the refund's amount, or what is left of the payment.
  public let amount: Money
}

extension [Refund] {
  /// What is left of a payment, in the currency's smallest unit.
  ///
  /// - Parameter paid: the payment's amount.
  func left(of payment: String, paid: Int64) -> Int64 {
    filter { $0.paymentID == payment && $0.isCovered }.reduce(paid) { $0 - $1.amount.minorUnits }
  }

  /// The failed refunds of a payment that are owed, the oldest first: in all no more than is left of it.
  func owed(of payment: String, paid: Int64) -> [OwedRefund] {
    var left = left(of: payment, paid: paid)
    return filter { $0.paymentID == payment && $0.isUnreplaced }.compactMap { refund in
      let amount = Swift.min(left, refund.amount.minorUnits)
      guard amount > 0 else { return nil }
      left -= amount
      return OwedRefund(refund: refund, amount: Money(minorUnits: amount, currency: refund.amount.currency))
    }
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
