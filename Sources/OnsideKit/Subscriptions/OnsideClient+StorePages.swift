import Logging
import OnsideAPI

/// Pages of the store on which the user can buy without a payment of the app.
extension OnsideClient {
  /// Shows the page of the account's subscriptions: see ``Onside/presentSubscriptionsManager(group:)``.
  public func presentSubscriptionsManager(group: String? = nil) async throws {
    try await showStorePage("the subscriptions", appAccountToken: nil) { store, token, screens throws(StoreError) in
      try await store.presentSubscriptions(group: group, appAccountToken: token, on: screens)
    }
  }

  /// Shows the page on which the user redeems a code: see ``Onside/presentCodeRedemption(appAccountToken:)``.
  public func presentCodeRedemption(appAccountToken: String? = nil) async throws {
    let own = appAccountToken
    try await showStorePage("the page for codes", appAccountToken: own) { store, token, screens throws(StoreError) in
      try await store.presentCodeRedemption(appAccountToken: token, on: screens)
    }
  }

  /// Logs in if need be, and returns when the page has closed. The page gets the token that was set when it was called.
  private func showStorePage(
    _ name: String, appAccountToken own: String?,
    _ show: (any Store, _ appAccountToken: String?, any ScreenPresenter) async throws(StoreError) -> Void
  ) async throws {
    let token = own ?? appAccountToken
    if let error = OnsidePaymentError(checkingToken: token) { throw error }
    if case .failure(let failure) = await account.ensureSignedIn() { throw failure.thrown }
    defer { storePageClosed() }
    do {
      try await show(store, token, dependencies.screens)
    } catch {
      // The user has closed the page.
      guard let failure = OnsideFailure(error) else { return }
      guard error != .notSignedIn else {
        account.sessionEnded()
        throw OnsideLoginError.loginDiscarded
      }
      dependencies.logger.error("expected to show \(name), but the store said \(error)")
      throw failure
    }
  }

  /// Has the store asked for orders and entitlements, because the user may have changed them on a page of the store. A
  /// subscription that was switched off or paused is no new order, so the queue does not report it.
  func storePageClosed() {
    queue.storePageClosed()
    entitlementController.purchasesChanged()
  }
}
