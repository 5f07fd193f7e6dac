// Async forms of the calls of ``Onside``: additions to the published API. Where Swift would prefer one of them to a
// published call in an async function, it has a name of its own.
extension Onside {
  /// Logs in unless an account is logged in; joins a login that is under way. Cancelling the task cancels the login,
  /// unless other callers have joined it.
  /// - Throws: ``OnsideLoginError`` when the user declined, ``OnsideFailure`` for any other failure.
  public static func login() async throws {
    try await client().login()
  }

  /// Cancels a login that is under way; every caller that waits for it gets `.loginDiscarded`.
  public static func cancelLogin() { client().cancelLogin() }

  /// Products by their identifiers.
  public static func products(
    for productIdentifiers: Set<String>
  ) async throws(OnsideProductsRequestError) -> OnsideProductsResponse {
    try await client().products(for: productIdentifiers)
  }

  /// The account's purchases in this app, signed.
  public static func signedInAppsHistory()
    async throws(OnsideSignedInAppsHistoryRequestError) -> OnsideSignedInAppsHistory
  {
    try await client().signedInAppsHistory()
  }

  /// Shows the payment methods and waits for the page to close.
  public static func managePaymentMethods() async throws(OnsidePaymentMethodsManagerError) {
    try await client().managePaymentMethods()
  }

  /// The attribution metadata: the page visit that led to this installation.
  public static func attributionMetadata() async throws(OnsideAttributionMetadataError) -> OnsideAttributionMetadata {
    try await client().attributionMetadata()
  }

  /// The identifier of this installation, a UUID in lower case, for a server that reports events of its own. It is made
  /// once and kept as long as the storage folder.
  public static func installationIdentifier() async -> String { await client().installationIdentifier() }
}
