package import Foundation
package import OnsideAPI
package import OnsideCommerce

/// The session operations of a store: the signed-in account, login, logout and revocation. The store keeps the tokens.
package protocol AccountStore: Sendable {
  /// The signed-in account as this device knows it; never waits, not even right after a launch.
  var signedIn: SignedIn? { get }
  /// Yields after the store, or another process that shares the folder, has changed ``signedIn`` on its own.
  var signedInChanges: AsyncStream<Void> { get }
  /// Shows the login screen and signs in; `nil` when the user gave up or the login was not valid.
  func signIn(_ screens: any ScreenPresenter, options: SignInOptions) async throws(StoreError) -> SignedIn?
  /// Whether an address answers a login that an earlier process has begun and not ended.
  func awaits(_ answer: URL) async -> Bool
  /// Signs in with the answer to such a login, which is spent then; `nil` when it is not valid.
  func signIn(answeredWith answer: URL) async throws(StoreError) -> SignedIn?
  /// Cancels a login that waits for an answer: a later answer changes nothing.
  func forgetPendingLogin()
  /// Forgets the signed-in account at once, also offline. ``revokeForgotten()`` ends the session at the store.
  func forgetSignIn()
  /// Ends the sessions at the store that the device has forgotten, each once `last` has returned for its account.
  /// Throws while some are left.
  func revokeForgotten(after last: @escaping @Sendable (AccountID) async -> Void) async throws(StoreError)
  /// Stores the account's region as the store reported it.
  func keepRegion(_ country: CountryCode, of account: AccountID)
}

/// Defaults for a store whose logins are never answered in another app.
extension AccountStore {
  package func revokeForgotten() async throws(StoreError) { try await revokeForgotten { _ in } }
  package func awaits(_ answer: URL) async -> Bool { false }
  package func signIn(answeredWith answer: URL) async throws(StoreError) -> SignedIn? { nil }
  package func forgetPendingLogin() {}
}

/// Options of one login.
package struct SignInOptions: Hashable, Sendable {
  /// The region to propose for a new account.
  package var countryHint: CountryCode?
  /// Whether to stay with the store's own login methods, without a hand-over to another app.
  package var forcesLocalMethods: Bool
  /// Whether the answer comes from another app, perhaps after this process has ended.
  package var isAnsweredElsewhere = false

  /// Whether the login page omits external login providers. Only web pages ask for that: an app's delegate chooses
  /// between screens, not between methods (contract, sections 2.3 and 6, row 3).
  package var hidesProviders: Bool

  package init(countryHint: CountryCode? = nil, forcesLocalMethods: Bool = false, hidesProviders: Bool = false) {
    self.countryHint = countryHint
    self.forcesLocalMethods = forcesLocalMethods
    self.hidesProviders = hidesProviders
  }
}

/// The account that a login or a stored session stands for.
package struct SignedIn: Hashable, Sendable, Codable {
  /// The account.
  package var accountID: AccountID
  /// Its region.
  package var country: CountryCode

  package init(accountID: AccountID, country: CountryCode) {
    self.accountID = accountID
    self.country = country
  }
}
