import OnsideCommerce
import StorePayments

/// The error for a provider's event with another amount than the payment's. Nothing is booked: the operator must look
/// into it.
struct PaymentAmountMismatch: Error, Sendable, Equatable, CustomStringConvertible {
  let payment: String
  let expected: Money
  /// What the provider says; nil when there is no such currency.
  let found: Money?

  var description: String {
    let told = found?.plainText ?? "another currency"
    return "payment \(payment): expected \(expected.plainText), the provider says \(told)"
  }
}
