package import OnsideAPI
package import OnsideCommerce

/// What the SDK asks of a store. The queue cannot tell whether it speaks to a store over HTTP or to a local file.
///
/// Every call ends: with its answer, with a ``StoreError``, or with `.cancelled` when its task is cancelled. A call may
/// be repeated; the store recognises orders by their id.
package protocol Store: Sendable {
  /// Products with texts and prices; the account's region wins over `country` when somebody is signed in.
  func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage
  /// Makes the order `id`, or gives the one that was made with it.
  func makeOrder(_ id: OrderID, _ request: OrderRequest) async throws(StoreError) -> OrderMessage
  /// The order as it stands.
  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage
  /// Gives the order up unless it is paid or being paid; answers how it stands then. For `.screenClosed` the store leaves
  /// it open while its payment page may be open somewhere.
  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage
  /// Shows the payment page of an open order until it closes. What came of it is asked with ``order(_:)``.
  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd
  /// Asks for the delivery of a paid consumable; answers how it stands then. Asking again is fine.
  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage
  /// Changes since the cursor; waits up to `wait` seconds for one.
  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage
  /// Tells that the app has delivered an order of an account; `.notSignedIn` when nothing here speaks for the account
  /// any more. One that has logged out still does until its session is ended at the store.
  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError)
  /// What a restore brings back.
  func restorable() async throws(StoreError) -> [OrderMessage]
  /// The account's purchases as a compact JWS.
  func signedHistory() async throws(StoreError) -> String
  /// Shows the payment-methods page until it closes.
  func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError)
  /// Where an installation came from. Asks for no login.
  func attribution(_ request: AttributionRequest) async throws(StoreError) -> AttributionMessage
  /// Takes in events. `.refused` when they will never be taken; any other error when they may be, later.
  func report(_ request: EventsRequest) async throws(StoreError)
}

/// How a payment screen ended. It says nothing of the payment.
package enum PaymentScreenEnd: Hashable, Sendable {
  /// The page led back to the app.
  case returned
  /// The user closed the screen, and the page with it.
  case closed
  /// Nobody came back in time; the page may still be open in a browser.
  case unseen
}

/// What a store on this device says of installations: it has no landing page, and events end with it.
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
  /// 409: the order names a country that is not the account's; this one is.
  case storefrontChanged(CountryCode)
  /// 5xx, 429, or the same request is still under way: worth another try later.
  case serviceUnavailable
  /// Somebody between answered, a proxy or a captive portal; what was expected and what came (QUE-23).
  case notTheStore(String)
  /// There is no session, or the store has ended it.
  case notSignedIn
  /// A screen could not be shown.
  case presentationFailed
  /// The caller's task was cancelled.
  case cancelled
  /// The answer could not be read, or something here is broken; what was expected and what came.
  case internalError(String)

  /// What was expected and what came, for those who look for the reason; nil where the case says it all.
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
