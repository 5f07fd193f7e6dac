import Foundation
import Logging
package import OnsideAPI
package import OnsideCommerce

/// The signed-in account and its storefront, with login and logout.
@MainActor
package final class AccountController: AccountGate {
  /// The settings that a login takes from the app and its delegate, read anew each time.
  package struct Host {
    /// The country hint as the app gives it.
    package var countryHint: @MainActor () -> String?
    /// Whether the app wants the store's own login methods only.
    package var forcesLocalMethods: @MainActor () -> Bool
    /// Whether the login page omits external login providers: a web page has forced the store's own methods.
    package var hidesProviders: @MainActor () -> Bool
    /// Logins in the store's own app; nil in local testing.
    package var storeApp: StoreAppLogin?

    package init(
      countryHint: @escaping @MainActor () -> String?, forcesLocalMethods: @escaping @MainActor () -> Bool,
      hidesProviders: @escaping @MainActor () -> Bool = { false }, storeApp: StoreAppLogin? = nil
    ) {
      self.countryHint = countryHint
      self.forcesLocalMethods = forcesLocalMethods
      self.hidesProviders = hidesProviders
      self.storeApp = storeApp
    }
  }

  package private(set) var signedIn: SignedIn?
  package private(set) var storefront: OnsideStorefront?
  package var onChange: (@MainActor (AccountChange) -> Void)?
  package var beforeRevoking: (@MainActor (AccountID) async -> Void)?

  let store: any AccountStore
  let dependencies: Dependencies
  let host: Host
  var logins = LoginMachine()
  var login: Task<Void, Never>?
  /// The answer that the next attempt begins with.
  var answer: URL?
  var waiting: [Int: CheckedContinuation<Result<SignInEffort, LoginFailure>, Never>] = [:]
  var nextWaiter = 0
  /// Brings the login screen that is open before the user again.
  var reminder: ScreenReminder?
  private var regions = RegionResolver()
  private var storefronts: StorefrontBook
  private var watching: Task<Void, Never>?
  private var revoking: Task<Void, Never>?

  package init(store: any AccountStore, dependencies: Dependencies, host: Host) {
    self.store = store
    self.dependencies = dependencies
    self.host = host
    storefronts = StorefrontBook(randomBytes: dependencies.randomBytes)
    signedIn = store.signedIn
    storefront = signedIn.map { storefronts.storefront(in: $0.country) }
  }

  deinit {
    watching?.cancel()
    revoking?.cancel()
    login?.cancel()
  }

  /// Begins to follow changes from elsewhere, and ends the sessions that earlier launches could not end.
  package func start() {
    let changes = store.signedInChanges
    watching = Task { [weak self] in
      for await _ in changes { self?.reconcile() }
    }
    revokeForgotten()
  }

  /// Stops all work under way, without reporting a change.
  package func stop() {
    onChange = nil
    watching?.cancel()
    revoking?.cancel()
    login?.cancel()
  }

  /// Clears the login at once; the session is ended at the store as soon as the store can be reached (ACC-13).
  package func logout() {
    handle(.cancelled)
    store.forgetSignIn()
    adopt(nil)
    revokeForgotten()
  }

  package func sessionEnded() { reconcile() }

  package func regionLearned(_ country: CountryCode, for account: SignedIn) {
    guard signedIn?.accountID == account.accountID, signedIn?.country != country else { return }
    store.keepRegion(country, of: account.accountID)
    adopt(SignedIn(accountID: account.accountID, country: country))
  }

  package var provisionalCountry: CountryCode? {
    let resolution = regions.resolve(hint: host.countryHint(), system: dependencies.systemRegion())
    if let hint = resolution.refusedHint {
      dependencies.logger.warning(
        "expected an ISO 3166-1 alpha-2 code such as NL from onsideDefaultCountryCodeAssumption(), got \"\(hint)\"")
    }
    return resolution.country
  }

  /// The region to ask for products in: the account's, without a look at hints (STF-1), else the provisional one.
  package var countryForProducts: CountryCode? { signedIn?.country ?? provisionalCountry }

  /// Keeps the region that the store chose itself.
  package func storeDefaultLearned(_ country: CountryCode) { regions.storeDefault = country }

  /// The storefront of a country, with this launch's opaque id.
  package func storefront(in country: CountryCode) -> OnsideStorefront { storefronts.storefront(in: country) }

  /// Adopts the store's sign-in state: the session may have ended, or another process may have changed it.
  private func reconcile() {
    guard !logins.isRunning || signedIn != nil else { return }
    let before = signedIn?.accountID
    adopt(store.signedIn)
    // Another process may have logged out: the one that has the queue sends the finishes.
    if let before, before != signedIn?.accountID { revokeForgotten() }
  }

  /// Replaces the signed-in account. Changes the state first and calls back afterwards, once per change (STF-4).
  func adopt(_ newer: SignedIn?) {
    guard newer != signedIn else { return }
    if let older = signedIn, older.accountID != newer?.accountID {
      set(nil)
      onChange?(.signedOut(older))
      // The callback may have changed the account again.
      guard signedIn == nil, let newer else { return }
      set(newer)
      onChange?(.signedIn(newer))
    } else if let newer {
      let isRegionOnly = signedIn != nil
      set(newer)
      onChange?(isRegionOnly ? .storefrontChanged(newer) : .signedIn(newer))
    }
  }

  private func set(_ newer: SignedIn?) {
    signedIn = newer
    storefront = newer.map { storefronts.storefront(in: $0.country) }
  }

  /// Ends forgotten sessions at the store, once it can be reached and has all finishes of their accounts (QUE-13).
  func revokeForgotten() {
    revoking?.cancel()
    let last: @Sendable (AccountID) async -> Void = { [weak self] in await self?.beforeRevoking?($0) }
    revoking = Task { [store, sleep = dependencies.sleep] in
      var delay = 5.0
      while !Task.isCancelled {
        do { return try await store.revokeForgotten(after: last) } catch {}
        guard (try? await sleep(delay)) != nil else { return }
        delay = min(delay * 2, 600)
      }
    }
  }
}
