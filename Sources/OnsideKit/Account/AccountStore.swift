package import OnsideAPI
package import OnsideCommerce

/// What the account asks of a store: who is signed in, and how that begins and ends. The store keeps what proves it.
package protocol AccountStore: Sendable {
  /// Who is signed in as far as this device knows; never waits, not even right after a launch.
  var signedIn: SignedIn? { get }
  /// Yields after the store, or another process that shares the folder, has changed ``signedIn`` on its own.
  var signedInChanges: AsyncStream<Void> { get }
  /// Shows the login screen and signs in; `nil` when the user gave up or the login was not valid.
  func signIn(_ screens: any ScreenPresenter, _ options: SignInOptions) async throws(StoreError) -> SignedIn?
  /// Forgets at once who is signed in, also offline. The store is told by ``revokeForgotten()``.
  func forgetSignIn()
  /// Ends the sessions at the store that the device has forgotten. Throws while some are left.
  func revokeForgotten() async throws(StoreError)
  /// Keeps a region that the store told for the account.
  func keepRegion(_ country: CountryCode, of account: AccountID)
}

/// Where a login may lead.
package struct SignInOptions: Hashable, Sendable {
  /// The region to propose for a new account.
  package var countryHint: CountryCode?
  /// Whether to stay with the store's own login methods, without a hand-over to another app.
  package var forcesLocalMethods: Bool

  package init(countryHint: CountryCode? = nil, forcesLocalMethods: Bool = false) {
    self.countryHint = countryHint
    self.forcesLocalMethods = forcesLocalMethods
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
