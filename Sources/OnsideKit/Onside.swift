public import Foundation
public import Logging
public import OnsideCompletions

/// The SDK's entry point for apps: login, products, payments, attribution and events (contract, section 1.1).
///
/// Every call goes to one ``OnsideClient`` that the whole process shares. Call one of the `initialize` functions at
/// launch, before everything but ``delegate``, ``callbackScheme`` and ``appearance()``: any other call before it stops
/// the program with a message that names the missing call (INI-1). Add the observer of the payment queue directly
/// afterwards, since purchases of an earlier launch are delivered to it:
///
/// ```swift
/// Onside.delegate = delegate          // optional; held weakly
/// Onside.initialize()                 // stops with a message when a value is missing
/// Onside.defaultPaymentQueue().add(observer: shop)
/// ```
///
/// All members belong to the main actor. No function blocks on the network; a completion is called exactly once, on the
/// main actor. The `async` forms, such as ``login()`` and ``products(for:)``, are additions to the published API.
///
/// In code that a test of `OnsideTestKit` runs on a device, `Onside` is the client of that device, and `initialize`
/// does nothing.
@preconcurrency @MainActor
public enum Onside {
  private static let processHost = OnsideHost()
  private static var processClient: OnsideClient?

  /// The host of the process, or of the test that the task belongs to.
  private static var host: OnsideHost { PresentTask.scope?.host ?? processHost }
  private static var shared: OnsideClient? { PresentTask.scope.map(\.client) ?? processClient }

  /// Starts the SDK with the configuration from Info.plist or the environment; see ``OnsideConfiguration``.
  ///
  /// Call it once, at launch. It reads one small file, the stored session, and returns in under 5 ms (INI-4): when a
  /// session is stored, ``OnsidePaymentQueue/storefront`` has a value as soon as this returns, without the network
  /// (ACC-16). The transactions on disk are read afterwards, off the main actor. A second call changes nothing and logs
  /// one warning (INI-2).
  ///
  /// A missing or malformed value stops the program with a message that names its key. To continue without a store
  /// instead, make the configuration in code, which throws:
  ///
  /// ```swift
  /// do {
  ///   Onside.initialize(configuration: try OnsideConfiguration())
  /// } catch {
  ///   print(error)                      // names the key that is missing or malformed
  /// }
  /// ```
  public static func initialize() {
    guard isFirst() else { return }
    do {
      try initialize(configuration: OnsideConfiguration())
    } catch {
      fatalError("Onside.initialize() could not start: \(error)")
    }
  }

  /// Starts the SDK with a configuration made in code: `try Onside.initialize(configuration: OnsideConfiguration())`.
  ///
  /// Otherwise like ``initialize()``: it returns in under 5 ms, and a second call changes nothing and logs one warning.
  /// The configuration's callback scheme applies only if ``callbackScheme`` was not set before.
  ///
  /// - Parameters:
  ///   - configuration: the store's address, the app's identifier and the storage folder.
  ///   - screens: shows the SDK's pages for login, payment and payment methods. By default the system's browser, with a
  ///     redirect to a port of 127.0.0.1 (``SystemBrowserPresenter``); on iOS the system's sign-in sheet over the
  ///     window that `onside(hostWindowSceneForScreen:)` of ``OnsideDelegate`` names.
  ///   - logger: receives warnings and errors of the SDK, such as a payment without an observer; by default they go to
  ///     standard error, or to the handler that the app has passed to `LoggingSystem.bootstrap` of swift-log. Tokens
  ///     and codes are never logged.
  public static func initialize(
    configuration: OnsideConfiguration, screens: (any ScreenPresenter)? = nil, logger: Logger? = nil
  ) {
    guard isFirst() else { return }
    var dependencies = Dependencies.live(storageFolder: configuration.storageFolder)
    if let screens { dependencies.screens = screens }
    if let logger { dependencies.logger = logger }
    processClient = OnsideClient(configuration: configuration, dependencies: dependencies, host: host)
  }

  /// Starts the SDK in local testing, on a `.storekit` file: no network is used and nothing is charged.
  ///
  /// The file is looked for in the folder that `ONSIDE_STOREKIT_FOLDER` names, in the app's bundle and in the current
  /// folder, in this order. It is read before this returns: about 3 ms for the example shop, mostly Foundation's first
  /// use. A file that is missing or broken stops the program with its path, the line and what was expected there
  /// (INI-3). To continue instead, make the ``LocalStore`` in code, which throws, and pass it to
  /// ``initialize(localStore:screens:)``.
  ///
  /// Login, logout, purchases and restores work, with small pages on 127.0.0.1. Test purchases and the login stay on
  /// disk over restarts, in a folder for each file (LOC-3, LOC-5). The payment-methods manager and the signed history
  /// fail with `.notSupportedInLocalTesting` (HIS-2). A second call changes nothing and logs one warning.
  ///
  /// - Parameter storeKitConfigurationName: the file's name; the extension may be left out: `"Example"` for
  ///   `Example.storekit`.
  public static func initialize(storeKitConfigurationName: String) {
    guard isFirst() else { return }
    do {
      try initialize(localStore: LocalStore(named: storeKitConfigurationName))
    } catch {
      fatalError("Onside.initialize(storeKitConfigurationName:) could not start: \(error)")
    }
  }

  /// Starts the SDK on a local store: `try Onside.initialize(localStore: LocalStore(named: "Example"))`.
  ///
  /// Use it instead of ``initialize(storeKitConfigurationName:)`` to handle a missing or broken file, or to keep the
  /// ``LocalStore`` and control it: refunds, renewals, failures. A second call changes nothing and logs one warning.
  ///
  /// - Parameters:
  ///   - localStore: the store. Several clients may share it, as devices share an account.
  ///   - screens: shows its pages; by default the system's browser, on iOS the system's sign-in sheet.
  public static func initialize(localStore: LocalStore, screens: (any ScreenPresenter)? = nil) {
    guard isFirst() else { return }
    var dependencies = localStore.dependencies
    if let screens { dependencies.screens = screens }
    processClient = OnsideClient(localStore: localStore, dependencies: dependencies, host: host)
  }

  /// Starts the SDK with injected dependencies: clock, randomness, storage folder, screens and logger.
  ///
  /// For tests and tools that replace parts of the system; an app uses ``initialize(configuration:screens:logger:)``.
  /// The storage folder is that of the dependencies, not that of the configuration. A second call changes nothing and
  /// logs one warning.
  ///
  /// - Parameters:
  ///   - configuration: the store's address and the app's identifier.
  ///   - dependencies: replaces the system; begin with ``Dependencies/live(storageFolder:screens:logger:)`` to change
  ///     one part.
  public static func initialize(configuration: OnsideConfiguration, dependencies: Dependencies) {
    guard isFirst() else { return }
    processClient = OnsideClient(configuration: configuration, dependencies: dependencies, host: host)
  }

  /// Returns whether no call of an `initialize` function came before. Each of them asks first, before it reads
  /// anything: a missing file or value does not stop a program that runs already (INI-2).
  private static func isFirst() -> Bool {
    if PresentTask.scope != nil { return false }
    guard let shared else { return true }
    shared.dependencies.logger.warning(
      "Onside.initialize was called again; the first call counts, this one changes nothing")
    return false
  }

  /// The app's custom URL scheme, without the colon, by which the system gives redirect addresses to the app.
  ///
  /// It may be set before or after `initialize`, which takes over the configuration's scheme while this is `nil`. With
  /// a scheme, logins may be handed over to the store's own app (ACC-7), and ``handle(url:)`` accepts addresses
  /// `SCHEME://onside`. The app declares the scheme to the system (`CFBundleURLTypes` on Apple systems, a desktop file
  /// on Linux), and the store has `SCHEME://onside` as a redirect of the app. `nil`, the default, keeps every login in
  /// the SDK's own screen.
  public static var callbackScheme: String? {
    get { host.callbackScheme }
    set { host.callbackScheme = newValue }
  }

  /// The app's delegate for screens, login method and region; `nil` by default. Held weakly: the app keeps it alive.
  ///
  /// It may be set before `initialize` and replaced at any time. The SDK asks it anew for each screen, login and
  /// products request.
  public static var delegate: (any OnsideDelegate)? {
    get { host.delegate }
    set { host.delegate = newValue }
  }

  /// The app's own identifier of its user, at most 512 bytes of UTF-8, which every purchase carries. An addition to the
  /// published API.
  ///
  /// Set it after the app's own login, at each launch, and to `nil` after the app's logout. It is sent with every
  /// payment that has no ``OnsidePayment/appAccountToken`` of its own, with redeemed codes
  /// (``presentCodeRedemption(appAccountToken:)``), and with what is bought on the page of
  /// ``presentSubscriptionsManager(group:)``. A renewal or a change of plan of an active subscription keeps the
  /// subscription's token; a new subscription takes nothing over from an expired one. It comes back byte for byte in
  /// transactions, receipts and the signed history, so that the app's server knows whose purchase it is.
  ///
  /// ```swift
  /// Onside.appAccountToken = "user-4711"
  /// ```
  ///
  /// A login or logout at the store does not change it. A value that no store takes is logged, and payments are refused
  /// with ``OnsidePaymentError``. Purchases in the store's own web shop have no token: verify them by their `subject`.
  public static var appAccountToken: String? {
    get { client().appAccountToken }
    set { client().appAccountToken = newValue }
  }

  /// The payment queue: adds payments, restores purchases and delivers transactions to observers.
  ///
  /// Each call returns the same queue. Add an observer directly after `initialize`; without one the queue accepts
  /// payments and processes nothing (QUE-1).
  ///
  /// - Returns: the process's queue; see ``OnsidePaymentQueue`` for a sample.
  public static func defaultPaymentQueue() -> any OnsidePaymentQueue { client().defaultPaymentQueue() }

  /// The theme of the SDK's screens, as the app sets it. It may be changed before `initialize`.
  ///
  /// - Returns: the same object on each call. The theme is not stored: set it at each launch.
  public static func appearance() -> OnsideAppearance { host.appearance }

  /// Handles a URL that the system gave to the app, such as the redirect of a login.
  ///
  /// Call it for each URL that the app is opened with, at a cold launch too, after `initialize`; open the app's own
  /// links when it returns `false`. An address with the state of an open screen ends that screen. An answer of the
  /// store's own app completes the login that waits for it, also when the process that began it has ended. A `claim`
  /// token is redeemed for attribution. An unknown `state` or a spent code changes nothing (ACC-8).
  ///
  /// - Parameter url: the address as the system gave it.
  /// - Returns: `true` exactly for `SCHEME://onside` with any query, where `SCHEME` is ``callbackScheme`` (scheme and
  ///   host are compared without case), and for the redirect that an open screen waits for, whatever becomes of it.
  ///   `false` for every other address, which the SDK ignores, and for all while ``callbackScheme`` is `nil`.
  public static func handle(url: URL) -> Bool { client().handle(url: url) }

  /// Makes a request for products with their prices in the user's region; the form with a delegate of
  /// ``products(for:)``.
  ///
  /// Nothing is sent before ``OnsideProductsRequest/start()``. Keep the request while it runs: releasing it cancels it
  /// without a callback (PRD-4). It needs no login and never shows one. The region is resolved at the start: the
  /// account's, else the guess of ``OnsideDelegate/onsideDefaultCountryCodeAssumption()``, else the system's, else the
  /// store's default (STF-1, STF-2).
  ///
  /// ```swift
  /// let request = Onside.makeProductsRequest(productIdentifiers: ["coins_100", "pro_yearly"])
  /// request.delegate = self
  /// request.start()
  /// self.request = request
  /// ```
  ///
  /// - Parameter productIdentifiers: the identifiers as the store has them. An empty set gives an empty response
  ///   without a request to the store (PRD-2).
  /// - Returns: a request that was not started. It runs once; make another one to load again.
  public static func makeProductsRequest(productIdentifiers: Set<String>) -> any OnsideProductsRequest {
    client().makeProductsRequest(productIdentifiers: productIdentifiers)
  }

  /// Makes a request for the account's purchases in this app, signed by the store for the app's own server.
  ///
  /// It never shows a login: logged out, the failure is in the returned value (ACC-6). Nothing is sent before
  /// ``OnsideSignedInAppsHistoryRequest/start()``. Keep the request while it runs: releasing it cancels it without a
  /// callback. ``signedInAppsHistory()`` is the `async` form.
  ///
  /// ```swift
  /// switch Onside.makeSignedInAppsHistoryRequest() {
  /// case .success(let request):
  ///   request.delegate = self
  ///   request.start()
  ///   self.request = request
  /// case .failure(.notLoggedIn): Onside.requestLogin()
  /// case .failure(let error): print(error)
  /// }
  /// ```
  ///
  /// - Returns: a request that was not started; `.notLoggedIn` while no account is logged in, and
  ///   `.notSupportedInLocalTesting` in local testing (HIS-2).
  public static func makeSignedInAppsHistoryRequest()
    -> Result<any OnsideSignedInAppsHistoryRequest, OnsideSignedInAppsHistoryRequestError>
  {
    client().makeSignedInAppsHistoryRequest()
  }

  /// Logs the user in; succeeds without a screen when an account is logged in already (ACC-2).
  ///
  /// Adding a payment, restoring and the payment-methods manager log in by themselves when needed. There is at most one
  /// login screen: a call while one is open joins it, shows its page to the user again, and gets its outcome (ACC-1,
  /// ACC-18). After a login ``OnsidePaymentQueue/storefront`` is set first, then observers are called with
  /// ``OnsidePaymentTransactionObserver/onsidePaymentQueueDidChangeStorefront(_:)``, then completions succeed (ACC-4).
  /// The session is stored in the storage folder and survives a restart.
  ///
  /// ```swift
  /// Onside.requestLogin { result in
  ///   if case .failure(.loginDiscarded) = result { print("later, then") }
  /// }
  /// ```
  ///
  /// - Parameter completion: called once, on the main actor. `.loginDiscarded` also stands for a network, disk or
  ///   screen failure, for which the published error has no case; ``login()`` throws the reason. A dismissed login does
  ///   not open again by itself.
  public static func requestLogin(completion: OnsideCompletion<Void, OnsideLoginError>? = nil) {
    client().requestLogin(completion: sendable(completion))
  }

  /// Logs the account out on this device at once, also without a network (ACC-13).
  ///
  /// When it returns, the stored session is set aside and ``OnsidePaymentQueue/storefront`` is `nil`; a login under way
  /// is cancelled. Observers are called once with
  /// ``OnsidePaymentTransactionObserver/onsidePaymentQueueDidChangeStorefront(_:)``. Unfinished transactions leave the
  /// queue with `removedTransactions`, stay on disk under their account, and come back at its next login (QUE-14).
  /// Finishes that are on disk are still sent, then the session is ended at the store, with retries over restarts
  /// (QUE-13). A restore under way fails with `.cancelled`. Logged out already, it only cancels a login that is under
  /// way.
  public static func logout() { client().logout() }

  /// Shows the page on which the user sees, adds and removes payment methods; logs in first if necessary (ACC-5).
  ///
  /// ``managePaymentMethods()`` is the `async` form.
  ///
  /// - Parameter completion: called once, on the main actor: `.success` when the page has closed, however the user
  ///   closed it; `.loginDiscarded` when there was no login, `.presentationFailed` when the page could not be shown or
  ///   the store could not be reached (the log says which), `.notSupportedInLocalTesting` in local testing, where no
  ///   login is asked for.
  public static func presentPaymentMethodsManager(
    completion: OnsideCompletion<Void, OnsidePaymentMethodsManagerError>? = nil
  ) {
    client().presentPaymentMethodsManager(completion: sendable(completion))
  }

  /// Shows the page on which the user asks the store for a refund of a purchase; logs in first if necessary.
  ///
  /// The user gives a reason, and perhaps a note. The store's operator decides later: the page shows the decision when
  /// it is opened again. A refund reaches the app like any other, with
  /// ``OnsidePaymentTransactionObserver/onsidePaymentQueue(_:revokedTransactions:)``. Finished purchases can be
  /// refunded, too: keep the transaction, or take it from a restore. ``requestRefund(for:)`` is the `async` form.
  ///
  /// ```swift
  /// guard let transaction = Onside.defaultPaymentQueue().transactions.first else { return }
  /// Onside.presentRefundRequest(for: transaction) { result in
  ///   if case .failure(let error) = result { print("not shown: \(error)") }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - transaction: a purchased or restored transaction of the logged-in account.
  ///   - completion: called once, on the main actor: `.success` when the page has closed, whether or not the user has
  ///     asked; `.loginDiscarded` when there was no login, `.purchaseNotFound` when the store has no such purchase of
  ///     the account, `.presentationFailed` when the page could not be shown or the store could not be reached (the log
  ///     says which), `.notSupportedInLocalTesting` in local testing, where no login is asked for.
  public static func presentRefundRequest(
    for transaction: OnsidePaymentTransaction,
    completion: OnsideCompletion<Void, OnsideRefundRequestError>? = nil
  ) {
    client().presentRefundRequest(for: transaction, completion: sendable(completion))
  }

  /// Gets the attribution metadata: the landing page visit that led to this installation (ATT-1).
  ///
  /// The store is asked once; its answer is kept in the storage folder and returned at later launches without the
  /// network. Calls at the same time share one request. It needs no login and never shows one. After a failure the next
  /// call asks again. ``attributionMetadata()`` is the `async` form.
  ///
  /// ```swift
  /// Onside.getAttributionMetadata { result in
  ///   guard case .success(let metadata) = result, let address: URL = metadata.refererUrl else { return }
  ///   print(address)
  /// }
  /// ```
  ///
  /// - Parameter completion: called once, on the main actor. ``OnsideAttributionMetadata/refererUrl`` is `nil` when no
  ///   visit is known, which is a success. The failures are those of ``OnsideAttributionMetadataError``.
  public static func getAttributionMetadata(
    completion: @escaping OnsideCompletion<OnsideAttributionMetadata, OnsideAttributionMetadataError>
  ) {
    client().getAttributionMetadata { completion($0) }
  }

  /// Reports an analytics event with any name: `Onside.trackEvent("level_done", parameters: ["level": 3])`.
  ///
  /// It never fails, never waits and needs no login. What breaks the rules is changed or dropped, and logged once per
  /// name (EVT-1). The event is written to the storage folder as soon as the disk is free, sent in a batch when the
  /// store can be reached, also after a restart, and counted once by its id (EVT-2). At most 10,000 events wait; then
  /// the oldest are dropped. In local testing events are checked, and not sent.
  ///
  /// - Parameters:
  ///   - name: a letter, then letters, digits and `_`. Over 40 characters it is truncated; with the prefix `onside_` or
  ///     `$$` the event is dropped.
  ///   - parameters: at most 25, the first by key order, and 8 KiB of JSON. Keys have the rules of names. Strings over
  ///     100 characters are truncated; NaN and infinities are dropped.
  public static func trackEvent(_ name: String, parameters: [String: OnsideEventValue] = [:]) {
    client().trackEvent(name, parameters: parameters)
  }

  /// Reports an analytics event with a predefined name: `Onside.trackEvent(.purchaseCompleted)`.
  ///
  /// ```swift
  /// Onside.trackEvent(
  ///   .purchaseCompleted, parameters: ["currency": "EUR", "amount": 9.99, "gift": true, "ids": [1, 2]])
  /// ```
  ///
  /// - Parameters:
  ///   - name: the event's name; apps may add constants of their own to ``OnsideEventName``.
  ///   - parameters: as in the form that takes a string.
  public static func trackEvent(_ name: OnsideEventName, parameters: [String: OnsideEventValue] = [:]) {
    client().trackEvent(name, parameters: parameters)
  }

  /// A completion as the client takes it. What it captures stays on the main actor.
  private static func sendable<Success, Failure>(
    _ completion: OnsideCompletion<Success, Failure>?
  ) -> (@MainActor (Result<Success, Failure>) -> Void)? {
    guard let completion else { return nil }
    return { completion($0) }
  }

  /// The shared client. A call without one is a mistake in the app's code, which no user should meet: it stops.
  static func client(for call: String = #function) -> OnsideClient {
    guard let shared else {
      fatalError(
        "Onside.\(call) was called before Onside.initialize(); call Onside.initialize() first, at launch"
          + (ClientScope.isUsed ? ", or in a test of OnsideTestKit on the device: phone.run { … }" : ""))
    }
    return shared
  }
}
