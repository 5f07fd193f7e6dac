public import OnsideCommerce

/// A failed refund whose money the store still has. Not `OrderState.owesRefund`, which is set while a surplus payment
/// is not refunded.
public struct OwedRefund: Sendable, Hashable {
  /// The refund that has failed.
  public let refund: Refund
  /// The amount owed: the refund's amount, at most the unrefunded part of the payment.
  public let amount: Money
}

extension [Refund] {
  /// The part of a payment that is not refunded, in minor units. Closed refunds count as refunded.
  ///
  /// - Parameter paid: the payment's amount.
  func unrefunded(of payment: String, paid: Int64) -> Int64 {
    filter { $0.paymentID == payment && $0.isDeducted }.reduce(paid) { $0 - $1.amount.minorUnits }
  }

  /// Returns the owed refunds of a payment, the oldest first. Their sum is at most the unrefunded part of the payment.
  func owed(of payment: String, paid: Int64) -> [OwedRefund] {
    var left = unrefunded(of: payment, paid: paid)
    return filter { $0.paymentID == payment && $0.isUnreplaced }.compactMap { refund in
      let amount = Swift.min(left, refund.amount.minorUnits)
      guard amount > 0 else { return nil }
      left -= amount
      return OwedRefund(refund: refund, amount: Money(minorUnits: amount, currency: refund.amount.currency))
    }
  }
}

extension [OwedRefund] {
  /// The total of each currency, sorted by currency code.
  public var sums: [Money] {
    Dictionary(grouping: map(\.amount), by: \.currency)
      .map { currency, amounts in
        Money(minorUnits: amounts.reduce(0) { $0 + $1.minorUnits }, currency: currency)
      }
      .sorted { $0.currency.code < $1.currency.code }
  }
}
