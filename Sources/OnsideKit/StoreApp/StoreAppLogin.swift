import Foundation

/// Logins in the store's own app: whether there can be one, and the one that is under way.
@MainActor
package final class StoreAppLogin {
  private let dependencies: Dependencies
  private let issuer: URL
  private let callbackScheme: @MainActor () -> String?
  private let inbox: CallbackInbox
  private weak var screen: StoreAppScreen?

  init(
    dependencies: Dependencies, issuer: URL, inbox: CallbackInbox, callbackScheme: @escaping @MainActor () -> String?
  ) {
    self.dependencies = dependencies
    self.issuer = issuer
    self.inbox = inbox
    self.callbackScheme = callbackScheme
  }

  /// Shows a login in the store's app; nil when there is none, or no way back from it (ACC-7).
  func screens() async -> (any ScreenPresenter)? {
    guard let callbackScheme = callbackScheme(), let probe = URL(string: "\(AuthorizationLink.scheme)://authorize"),
      await dependencies.apps.canOpen(probe)
    else { return nil }
    let screen = StoreAppScreen(
      apps: dependencies.apps, callbackScheme: callbackScheme, issuer: issuer, dependencies: dependencies)
    self.screen = screen
    return ClientScreens(base: screen, inbox: inbox, languages: { [] }, theme: nil)
  }

  /// Brings the login that is under way before the user again, if the store's app has it.
  func askAgain() { screen?.askAgain() }
}
