public import Foundation
import Logging
import OnsideCommerce

/// One app session of the SDK: account, payment queue, attribution and events. ``Onside`` uses one that the process
/// shares; tests and tools may make several, each with its own dependencies and storage folder.
@MainActor
public final class OnsideClient {
  /// Where the store is and who the app is; nil in local testing.
  public let configuration: OnsideConfiguration?
  /// The store on this device; nil unless in local testing.
  public let localStore: LocalStore?
  /// The delegate. Held weakly.
  public var delegate: (any OnsideDelegate)? {
    get { host.delegate }
    set { host.delegate = newValue }
  }
  /// The scheme of addresses that come back to the app, without the colon.
  public var callbackScheme: String? {
    get { host.callbackScheme }
    set { host.callbackScheme = newValue }
  }
  /// The app's token for its user; see ``Onside/appAccountToken``.
  public var appAccountToken: String? {
    get { queue.appAccountToken }
    set {
      queue.appAccountToken = newValue
      if let error = OnsidePaymentError(checkingToken: newValue) { dependencies.logger.error("\(error)") }
    }
  }
  /// How the screens look.
  public var appearance: OnsideAppearance { host.appearance }

  let dependencies: Dependencies
  let store: any Store
  let account: AccountController
  let queue: PaymentQueue
  let attribution: Attribution
  let entitlementController: EntitlementController
  /// The event queue; nil in local testing, where events are not sent.
  let events: EventQueue?
  var eventNotes = EventNotes()
  var eventTimes = EventTimes()
  private let host: OnsideHost
  private let inbox = CallbackInbox()

  /// A client of the store that the configuration names. The storage folder is that of the dependencies.
  ///
  /// It reads one small file, the stored session, so that the storefront is known at once; everything else on disk, the
  /// network and cryptography come afterwards, off the main actor.
  public convenience init(configuration: OnsideConfiguration, dependencies: Dependencies) {
    self.init(configuration: configuration, dependencies: dependencies, host: OnsideHost())
  }

  convenience init(configuration: OnsideConfiguration, dependencies: Dependencies, host: OnsideHost) {
    let store = RemoteStore(
      store: configuration.storeURL, app: configuration.appIdentifier, dependencies: dependencies)
    self.init(configuration: configuration, dependencies: dependencies, store: store, host: host)
  }

  /// A client of a store on this device. Several clients of one store are devices; each has its own storage folder.
  public convenience init(localStore: LocalStore, dependencies: Dependencies) {
    self.init(localStore: localStore, dependencies: dependencies, host: OnsideHost())
  }

  convenience init(localStore: LocalStore, dependencies: Dependencies, host: OnsideHost) {
    var dependencies = dependencies
    // The `.storekit` file sets the region (LOC-2).
    dependencies.systemRegion = { localStore.storefront.alpha2 }
    self.init(
      configuration: nil, localStore: localStore, dependencies: dependencies,
      store: LocalDevice(localStore, dependencies: dependencies), host: host)
  }

  init(
    configuration: OnsideConfiguration?, localStore: LocalStore? = nil, dependencies: Dependencies,
    store: any Store & AccountStore, host: OnsideHost
  ) {
    if host.callbackScheme == nil { host.callbackScheme = configuration?.callbackScheme }
    var dependencies = dependencies
    let screens = host.presenter(
      insteadOf: dependencies.screens, scheme: configuration?.appIdentifier ?? LocalDevice.app)
    dependencies.screens = ClientScreens(
      base: screens, inbox: inbox, languages: dependencies.languages, theme: { host.theme(of: $0) })
    self.configuration = configuration
    self.localStore = localStore
    self.dependencies = dependencies
    self.store = store
    self.host = host
    account = AccountController(
      store: store, dependencies: dependencies,
      host: AccountController.Host(
        countryHint: { localStore == nil ? host.delegate?.onsideDefaultCountryCodeAssumption() : nil },
        forcesLocalMethods: { host.delegate?.onsideShouldForceLocalLoginMethods() ?? false },
        hidesProviders: { (host.delegate as? OnsideBridge)?.onsideShouldForceLocalLoginMethods() ?? false },
        storeApp: configuration.map { [inbox] in
          StoreAppLogin(
            dependencies: dependencies, issuer: $0.storeURL, inbox: inbox, callbackScheme: { host.callbackScheme })
        }))
    queue = PaymentQueue(
      store: store, account: account, app: configuration?.appIdentifier, dependencies: dependencies)
    attribution = Attribution(
      store: store, owner: Self.fileOwner(configuration), dependencies: dependencies)
    entitlementController = EntitlementController(
      store: store, account: account, file: EntitlementFile(configuration, dependencies: dependencies),
      dependencies: dependencies)
    events =
      localStore == nil
      ? EventQueue(store: store, installation: attribution.installation, dependencies: dependencies) : nil
    queue.onAccountChange = { [weak entitlementController] in entitlementController?.accountChanged() }
    queue.onStoreChange = { [weak entitlementController] in entitlementController?.purchasesChanged() }
    account.start()
    if let claim = configuration?.claimToken { attribution.receive(claim) }
  }

  deinit { events?.cancel() }

  /// Names app and store in files: another store, or another app in the same folder, has its own.
  /// - Parameter configuration: nil in local testing.
  nonisolated static func fileOwner(_ configuration: OnsideConfiguration?) -> String {
    configuration.map { "\($0.appIdentifier) at \($0.storeURL)" } ?? "local"
  }

  /// The payment queue.
  public func defaultPaymentQueue() -> any OnsidePaymentQueue { queue }

  /// Ends the session as if the process had ended: nothing is called back any more. Returns when its disk is at rest,
  /// so that another client may use the folder. An addition to the published API, for tests and tools.
  public func close() async {
    account.stop()
    await entitlementController.close()
    await attribution.close()
    await events?.close()
    await queue.close()
  }

  /// Handles an address that the system gave to the app. True when it is the SDK's own: `SCHEME://onside` with any
  /// query, or the redirect that an open screen waits for. False for every other address, also for one with a `claim`
  /// of the app's own: the SDK ignores it.
  public func handle(url: URL) -> Bool {
    guard let scheme = host.callbackScheme?.lowercased(), url.scheme?.lowercased() == scheme else { return false }
    if inbox.receive(url) { return true }
    guard url.host()?.lowercased() == "onside", ["", "/"].contains(url.path()) else { return false }
    if let claim = Attribution.claim(in: url) {
      attribution.receive(claim)
    } else {
      account.resume(url)
    }
    return true
  }

  /// Logs in unless an account is logged in; joins a login that is under way.
  /// - Parameter completion: called once, on the main actor.
  public func requestLogin(completion: (@MainActor (Result<Void, OnsideLoginError>) -> Void)? = nil) {
    Task { completion?(await account.ensureSignedIn().map { _ in }.mapError { _ in .loginDiscarded }) }
  }

  /// Logs in and waits for the outcome. Cancelling the task cancels the login, unless other callers have joined it. An
  /// addition to the published API; its name differs, since in an async function Swift would take it for the published
  /// one.
  /// - Throws: ``OnsideLoginError`` when the user declined, ``OnsideFailure`` for any other failure.
  public func login() async throws {
    if case .failure(let failure) = await account.ensureSignedIn() { throw failure.thrown }
  }

  /// Cancels a login that is under way; every caller that waits for it gets `.loginDiscarded`. An addition to the
  /// published API.
  public func cancelLogin() { account.cancelLogin() }

  /// Logs out at once, also without a network; the session is ended at the store as soon as the store can be
  /// reached.
  public func logout() { account.logout() }
}
