/// How ``OnsidePaymentQueue/purchase(_:appAccountToken:quantity:offer:)`` ended. An addition to the published API.
public enum OnsidePurchaseResult: Sendable, Hashable {
  /// Paid. Deliver it, then call ``OnsidePaymentQueue/finishTransaction(_:)``: until then it comes back at every
  /// launch.
  case purchased(OnsidePaymentTransaction)
  /// Not decided yet: the store is still processing the payment, its page may be open in a browser, the store cannot
  /// be reached, or the user has logged out. It goes on in the queue; observers are told of the outcome.
  case pending
  /// Not bought: the user did not log in or closed the payment page, the app has cancelled it, or the storefront gate
  /// refused. There is nothing to finish.
  case cancelled
}
