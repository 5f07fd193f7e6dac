import OnsideCommerce

/// The error for a provider's event with another amount than the payment's. Nothing is booked: the operator must look
/// into it.
struct PaymentAmountMismatch: Error, Sendable, Equatable, CustomStringConvertible {
  let payment: String
  let expected: Money
  let found: Money

  var description: String { "payment \(payment): expected \(expected.plainText), the provider says \(found.plainText)" }
}
