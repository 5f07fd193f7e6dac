import Logging
import OnsideAPI

extension OnsideClient {
  /// Shows the page of the account's subscriptions: see ``Onside/presentSubscriptionsManager(group:)``.
  public func presentSubscriptionsManager(group: String? = nil) async throws {
    if case .failure(let failure) = await account.ensureSignedIn() { throw failure.thrown }
    // What the user has switched off or paused is no order that the queue hears of.
    defer { entitlementController.purchasesChanged() }
    do {
      try await store.presentSubscriptions(group: group, on: dependencies.screens)
    } catch {
      // The user has closed the page.
      guard let failure = OnsideFailure(error) else { return }
      guard error != .notSignedIn else {
        account.sessionEnded()
        throw OnsideLoginError.loginDiscarded
      }
      dependencies.logger.error("expected to show the subscriptions, but the store said \(error)")
      throw failure
    }
  }
}
