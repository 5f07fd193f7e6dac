// Async forms of the calls of ``Onside``: additions to the published API. Where Swift would prefer one of them to a
// published call in an async function, it has a name of its own.
extension Onside {
  /// Logs the user in and waits for the outcome; returns at once when an account is logged in already.
  ///
  /// Concurrent calls share one login screen and its outcome (ACC-1). When it returns,
  /// ``OnsidePaymentQueue/storefront`` has a value and observers were called (ACC-4). Cancelling the task cancels the
  /// login, unless other callers have joined it. Unlike ``requestLogin(completion:)``, it tells the user's decision
  /// from other failures:
  ///
  /// ```swift
  /// do {
  ///   try await Onside.login()
  /// } catch OnsideLoginError.loginDiscarded {
  ///   print("later, then")
  /// } catch let failure as OnsideFailure where failure == .offline {
  ///   print("no connection")
  /// }
  /// ```
  ///
  /// - Throws: ``OnsideLoginError/loginDiscarded`` when the user declined, or the login or the task was cancelled;
  ///   ``OnsideFailure`` for any other failure, such as ``OnsideFailure/offline``.
  public static func login() async throws {
    try await client().login()
  }

  /// Cancels a login that is under way: its screen is closed, and every caller that waits gets `.loginDiscarded`
  /// (ACC-19).
  ///
  /// Use it for a button of the app beside a login in a browser or in the store's own app, from which no answer may
  /// ever come. A late answer changes nothing, and the next login works (ACC-10). Without a login under way nothing
  /// happens.
  public static func cancelLogin() { client().cancelLogin() }

  /// Loads products with their prices in the user's region.
  ///
  /// The `async` form of ``makeProductsRequest(productIdentifiers:)``: no login is needed, and the region is resolved
  /// when it is called. Cancelling the task ends the request with `.cancelled`.
  ///
  /// ```swift
  /// let response = try await Onside.products(for: ["coins_100"])
  /// if let coins = response.products.first {
  ///   try await Onside.defaultPaymentQueue().add(OnsidePayment(product: coins))
  /// }
  /// ```
  ///
  /// - Parameter productIdentifiers: the identifiers as the store has them; they are asked for 100 at a time.
  /// - Returns: the products that the store sells in the region, and the identifiers of which it sells none there. An
  ///   unknown identifier is no error (PRD-1).
  /// - Throws: ``OnsideProductsRequestError``; `.connectionError` also when the store has not answered within 15 s.
  public static func products(
    for productIdentifiers: Set<String>
  ) async throws(OnsideProductsRequestError) -> OnsideProductsResponse {
    try await client().products(for: productIdentifiers)
  }

  /// Loads the account's purchases in this app as a signed document (JWS) for the app's own server.
  ///
  /// - Returns: the history as the store signed it. The app's server verifies it with the store's public keys (HIS-1).
  /// - Throws: ``OnsideSignedInAppsHistoryRequestError``: `.notLoggedIn` at once while no account is logged in,
  ///   `.notSupportedInLocalTesting` in local testing, `.connectionError` when the store has not answered within 15 s.
  public static func signedInAppsHistory()
    async throws(OnsideSignedInAppsHistoryRequestError) -> OnsideSignedInAppsHistory
  {
    try await client().signedInAppsHistory()
  }

  /// Shows the payment methods of the account and returns when the page has closed; logs in first if necessary.
  ///
  /// - Throws: ``OnsidePaymentMethodsManagerError``, with the cases of ``presentPaymentMethodsManager(completion:)``.
  public static func managePaymentMethods() async throws(OnsidePaymentMethodsManagerError) {
    try await client().managePaymentMethods()
  }

  /// Shows the page on which the user asks for a refund, and returns when it has closed; logs in first if necessary.
  ///
  /// - Parameter transaction: a purchased or restored transaction of the logged-in account.
  /// - Throws: ``OnsideRefundRequestError``, with the cases of ``presentRefundRequest(for:completion:)``.
  public static func requestRefund(for transaction: OnsidePaymentTransaction) async throws(OnsideRefundRequestError) {
    try await client().requestRefund(for: transaction)
  }

  /// Gets the attribution metadata: the landing page visit that led to this installation.
  ///
  /// The `async` form of ``getAttributionMetadata(completion:)``: the store is asked once, then the answer is on disk.
  ///
  /// - Returns: the metadata; ``OnsideAttributionMetadata/refererUrl`` is `nil` when no visit is known.
  /// - Throws: ``OnsideAttributionMetadataError``. The next call asks the store again.
  public static func attributionMetadata() async throws(OnsideAttributionMetadataError) -> OnsideAttributionMetadata {
    try await client().attributionMetadata()
  }

  /// The identifier of this installation, a UUID in lower case, for a server that reports events of its own.
  ///
  /// It is made once and kept in the storage folder: it is the same over restarts, updates and logins, and another one
  /// after the folder was deleted. When the disk cannot be written, it lasts as long as the process. It names no
  /// account.
  public static func installationIdentifier() async -> String { await client().installationIdentifier() }
}
