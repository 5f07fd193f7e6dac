package import Foundation
package import OnsideAPI
package import OnsideCommerce

/// The store operations that the SDK needs, implemented over HTTP and on a local file.
///
/// Every call ends: with its answer, with a ``StoreError``, or with `.cancelled` when its task is cancelled. A call may
/// be repeated; the store recognises orders by their id.
package protocol Store: Sendable {
  /// Products with texts and prices; when an account is signed in its region is used instead of `country`.
  func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage
  /// The groups of products that the operator has put together.
  func offerings() async throws(StoreError) -> OfferingsMessage
  /// Makes the order `id`, or gives the one that was made with it.
  func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage
  /// The order as it stands.
  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage
  /// Cancels the order unless it is paid or being paid; returns its state afterwards. For `.screenClosed` the store
  /// leaves it open while its payment page may be open somewhere.
  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage
  /// Shows the payment page of an open order until it closes. ``order(_:)`` gives the outcome.
  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd
  /// Claims the delivery of a paid consumable for this device; returns the order's state afterwards. A repeated claim
  /// is fine.
  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage
  /// Changes since the cursor; waits up to `wait` seconds for one.
  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage
  /// Reports that the app has delivered an order of an account; `.notSignedIn` when this device has no session of the
  /// account any more. The session of a logged-out account is used until it is ended at the store.
  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError)
  /// The orders that a restore brings back.
  func restorable() async throws(StoreError) -> [OrderMessage]
  /// The account's purchases as a compact JWS.
  func signedHistory() async throws(StoreError) -> String
  /// What an account may use in this app; `.connection` when this device has another account's session by now. `keys`
  /// are those that an earlier answer was verified with, if there was one.
  func entitlements(of account: AccountID, verifiedWith keys: Data?) async throws(StoreError) -> SignedEntitlements
  /// Where the account's subscriptions in this app stand.
  func subscriptions() async throws(StoreError) -> SubscriptionsMessage
  /// Shows the page on which the user manages subscriptions until it closes: the one of a group, or all of the app's.
  /// Purchases on the page carry the token.
  func presentSubscriptions(
    group: String?, appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError)
  /// Shows the page on which the user redeems a code of an offer of the app until it closes. The purchase carries the
  /// token.
  func presentCodeRedemption(appAccountToken: String?, on screens: any ScreenPresenter) async throws(StoreError)
  /// Shows the payment-methods page until it closes.
  func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError)
  /// Shows the page on which the user asks for a refund of an order, until it closes.
  func presentRefundRequest(of id: OrderID, on screens: any ScreenPresenter) async throws(StoreError)
  /// The page visit that led to an installation. Needs no login.
  func attribution(_ request: AttributionRequest) async throws(StoreError) -> AttributionMessage
  /// Sends events. `.refused` when the store will never accept them; after any other error a later attempt may succeed.
  func report(_ request: EventsRequest) async throws(StoreError)
}

/// How a payment screen ended. The payment's outcome does not follow from it.
package enum PaymentScreenEnd: Hashable, Sendable {
  /// The page led back to the app.
  case returned
  /// The user closed the screen, and the page with it.
  case closed
  /// The user did not return in time; the page may still be open in a browser.
  case unseen
}

/// Defaults for a store on this device: it has no landing page, and discards events.
extension Store {
  package func attribution(_ request: AttributionRequest) async throws(StoreError) -> AttributionMessage {
    AttributionMessage()
  }

  package func report(_ request: EventsRequest) async throws(StoreError) {}
}

/// Why the store could not answer.
package enum StoreError: Error, Hashable, Sendable {
  /// No answer came: no network, a closed connection, a deadline.
  case connection
  /// 404: the store does not know the app.
  case appNotRegistered
  /// 404: there is no such order, or it is another account's.
  case notFound
  /// 403, 409 or 422: the store understood and refuses; the problem's code.
  case refused(ProblemCode)
  /// 409: the order names a country that is not the account's; the value is the account's country.
  case storefrontChanged(CountryCode)
  /// 5xx, 429, or the same request is still under way: worth another try later.
  case serviceUnavailable
  /// A proxy or a captive portal answered instead of the store; the text names the expected and the actual answer
  /// (QUE-23).
  case notTheStore(String)
  /// There is no session, or the store has ended it.
  case notSignedIn
  /// A screen could not be shown.
  case presentationFailed
  /// The caller's task was cancelled.
  case cancelled
  /// The answer could not be read, or the SDK is at fault; the text names the expected and the actual answer.
  case internalError(String)

  /// The expected and the actual answer, for the log; nil for cases without a text.
  var detail: String? {
    switch self {
    case .notTheStore(let text), .internalError(let text): text
    default: nil
    }
  }

  /// Whether the same call may succeed later without anything being changed.
  package var isRetryable: Bool {
    switch self {
    case .connection, .serviceUnavailable, .notTheStore: true
    default: false
    }
  }
}
