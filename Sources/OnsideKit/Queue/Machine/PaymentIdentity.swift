/// What a payment asks for. Two payments with the same identity are two presses of one button: while the first is open,
/// the second is no other order (QUE-10).
struct PaymentIdentity: Hashable, Sendable {
  private let productIdentifier: String
  private let quantity: Int
  private let appAccountToken: String?
  private let offerIdentifier: String?

  init(_ payment: OnsidePayment) {
    productIdentifier = payment.product.productIdentifier
    quantity = payment.quantity
    appAccountToken = payment.appAccountToken
    offerIdentifier = payment.offer?.offerIdentifier
  }
}
