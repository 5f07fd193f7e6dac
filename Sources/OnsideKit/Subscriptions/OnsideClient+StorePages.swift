import Logging
import OnsideAPI

/// Pages of the store on which the user can buy without a payment of the app.
extension OnsideClient {
  /// Shows the page of the account's subscriptions: see ``Onside/presentSubscriptionsManager(group:)``.
  public func presentSubscriptionsManager(group: String? = nil) async throws {
    try await showStorePage("the subscriptions") { store, screens throws(StoreError) in
      try await store.presentSubscriptions(group: group, on: screens)
    }
  }

  /// Shows the page on which the user redeems a code: see ``Onside/presentCodeRedemption()``.
  public func presentCodeRedemption() async throws {
    try await showStorePage("the page for codes") { store, screens throws(StoreError) in
      try await store.presentCodeRedemption(on: screens)
    }
  }

  /// Logs in if need be, and returns when the page has closed.
  private func showStorePage(
    _ name: String, _ show: (any Store, any ScreenPresenter) async throws(StoreError) -> Void
  ) async throws {
    if case .failure(let failure) = await account.ensureSignedIn() { throw failure.thrown }
    defer {
      queue.storePageClosed()
      // What the user has switched off or paused is no order that the queue hears of.
      entitlementController.purchasesChanged()
    }
    do {
      try await show(store, dependencies.screens)
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
}
