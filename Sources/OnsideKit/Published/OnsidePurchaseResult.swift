/// The outcome of ``OnsidePaymentQueue/purchase(_:appAccountToken:quantity:offer:)``. An addition to the published API.
///
/// The result is for the user interface. The app delivers in its observer, which also gets the purchases that no call
/// waits for.
public enum OnsidePurchaseResult: Sendable, Hashable {
  /// Paid. If ``OnsidePaymentTransaction/isFinished`` is true, the app's observer, or another device of the account,
  /// has delivered and finished it. Otherwise deliver it, then call ``OnsidePaymentQueue/finishTransaction(_:)``: until
  /// then it comes back at every launch.
  case purchased(OnsidePaymentTransaction)
  /// Nothing to deliver here. The store is still processing the payment, its page may be open in a browser, the store
  /// cannot be reached, the user has logged out, or another call for the same payment has returned the purchase (then
  /// its state is `.purchased`). Observers are notified of the outcome.
  case pending(OnsidePaymentTransaction)
  /// Not bought: the user closed or cancelled the payment page, the app cancelled the payment, or the storefront gate
  /// rejected it. There is nothing to finish.
  case cancelled
  /// Not bought, because the user did not log in. There is nothing to finish.
  case loginDiscarded
}
