public import Foundation
public import Logging

/// The SDK's entry point (contract, section 1.1): one ``OnsideClient`` that the whole process shares.
///
/// Call ``initialize()`` at launch, before everything but ``delegate``, ``callbackScheme`` and ``appearance()``.
@preconcurrency @MainActor
public enum Onside {
  private static let processHost = OnsideHost()
  private static var processClient: OnsideClient?

  /// The host of the process, or of the test that the task belongs to.
  private static var host: OnsideHost { PresentTask.scope?.host ?? processHost }
  private static var shared: OnsideClient? { PresentTask.scope.map(\.client) ?? processClient }

  /// Starts the SDK with the configuration from Info.plist or the environment; see ``OnsideConfiguration``.
  ///
  /// A second call changes nothing. A missing or malformed value stops the program with a message that names its key.
  /// To go on instead, make the configuration yourself, which throws, and give it to
  /// ``initialize(configuration:screens:logger:)``.
  public static func initialize() {
    if PresentTask.scope != nil { return }
    do {
      try initialize(configuration: OnsideConfiguration())
    } catch {
      fatalError("Onside.initialize() could not start: \(error)")
    }
  }

  /// Starts the SDK with a configuration made in code: `try Onside.initialize(configuration: OnsideConfiguration())`.
  /// A second call changes nothing.
  /// - Parameters:
  ///   - configuration: where the store is and who the app is.
  ///   - screens: shows the SDK's pages; the system's browser unless given, on iOS the system's sign-in sheet over the
  ///     window that ``OnsideDelegate/onside(hostWindowSceneForScreen:)`` names.
  ///   - logger: where the SDK logs; silent unless given.
  public static func initialize(
    configuration: OnsideConfiguration, screens: (any ScreenPresenter)? = nil, logger: Logger? = nil
  ) {
    var dependencies = Dependencies.live(storageFolder: configuration.storageFolder)
    if let screens { dependencies.screens = screens }
    if let logger { dependencies.logger = logger }
    initialize(configuration: configuration, dependencies: dependencies)
  }

  /// Starts the SDK in local testing, on a `.storekit` file: no network, nothing is charged. A second call changes
  /// nothing.
  ///
  /// The file is looked for in the folder that `ONSIDE_STOREKIT_FOLDER` names, in the app's bundle and in the current
  /// folder, and read before this returns: about 3 ms for the example shop, mostly Foundation's first use. A file that
  /// is missing or broken stops the program with its path, the line and what was expected there. To go on instead, make
  /// the store yourself, which throws, and give it to ``initialize(localStore:screens:)``.
  /// - Parameter storeKitConfigurationName: the file's name without the extension.
  public static func initialize(storeKitConfigurationName: String) {
    if PresentTask.scope != nil { return }
    do {
      try initialize(localStore: LocalStore(named: storeKitConfigurationName))
    } catch {
      fatalError("Onside.initialize(storeKitConfigurationName:) could not start: \(error)")
    }
  }

  /// Starts the SDK on a store of this device: `try Onside.initialize(localStore: LocalStore(named: "Example"))`. A
  /// second call changes nothing.
  /// - Parameters:
  ///   - localStore: the store.
  ///   - screens: shows its pages; the system's browser unless given, on iOS the system's sign-in sheet.
  public static func initialize(localStore: LocalStore, screens: (any ScreenPresenter)? = nil) {
    var dependencies = localStore.dependencies
    if let screens { dependencies.screens = screens }
    guard isFirst(dependencies.logger) else { return }
    processClient = OnsideClient(localStore: localStore, dependencies: dependencies, host: host)
  }

  /// Starts the SDK with injected dependencies. A second call changes nothing.
  public static func initialize(configuration: OnsideConfiguration, dependencies: Dependencies) {
    guard isFirst(dependencies.logger) else { return }
    processClient = OnsideClient(configuration: configuration, dependencies: dependencies, host: host)
  }

  private static func isFirst(_ logger: Logger) -> Bool {
    if PresentTask.scope != nil { return false }
    guard shared != nil else { return true }
    logger.warning("Onside.initialize was called again; the first call counts, this one changes nothing")
    return false
  }

  /// The scheme of addresses that come back to the app, without the colon.
  public static var callbackScheme: String? {
    get { host.callbackScheme }
    set { host.callbackScheme = newValue }
  }

  /// The delegate. Held weakly.
  public static var delegate: (any OnsideDelegate)? {
    get { host.delegate }
    set { host.delegate = newValue }
  }

  /// The payment queue.
  public static func defaultPaymentQueue() -> any OnsidePaymentQueue { client().defaultPaymentQueue() }

  /// How the SDK's screens look.
  public static func appearance() -> OnsideAppearance { host.appearance }

  /// Takes an address that the system gave to the app. True when it is the SDK's own, `SCHEME://onside` with the scheme
  /// in ``callbackScheme``, whatever becomes of it; the app's other links are false and left alone.
  public static func handle(url: URL) -> Bool { client().handle(url: url) }

  /// A request for products; give it a delegate, keep it, and start it.
  public static func makeProductsRequest(productIdentifiers: Set<String>) -> any OnsideProductsRequest {
    client().makeProductsRequest(productIdentifiers: productIdentifiers)
  }

  /// A request for the signed history; `.notLoggedIn` at once while signed out.
  public static func makeSignedInAppsHistoryRequest()
    -> Result<any OnsideSignedInAppsHistoryRequest, OnsideSignedInAppsHistoryRequestError>
  {
    client().makeSignedInAppsHistoryRequest()
  }

  /// Logs in unless an account is logged in; joins a login that is under way.
  /// - Parameter completion: called once, on the main actor.
  public static func requestLogin(completion: (@MainActor (Result<Void, OnsideLoginError>) -> Void)? = nil) {
    client().requestLogin(completion: completion)
  }

  /// Logs out at once, also without a network.
  public static func logout() { client().logout() }

  /// Shows the page on which the user sees, adds and removes payment methods; logs in first while signed out.
  /// - Parameter completion: called once, on the main actor, when the page has closed or why it was not shown.
  public static func presentPaymentMethodsManager(
    completion: (@MainActor (Result<Void, OnsidePaymentMethodsManagerError>) -> Void)? = nil
  ) {
    client().presentPaymentMethodsManager(completion: completion)
  }

  /// Gets the attribution metadata: the page visit that led to this installation. The store is asked once, then the
  /// answer is kept on this device; calls at the same time share one request. It needs no login.
  /// - Parameter completion: called once, on the main actor. `refererUrl` is nil when no visit is known.
  public static func getAttributionMetadata(
    completion: @escaping @MainActor (Result<OnsideAttributionMetadata, OnsideAttributionMetadataError>) -> Void
  ) {
    client().getAttributionMetadata(completion: completion)
  }

  /// Reports an analytics event with any name: `Onside.trackEvent("level_done", parameters: ["level": 3])`.
  ///
  /// It never fails: what breaks the rules of names and values is changed or dropped, and logged once per name. The
  /// event is kept over restarts and sent as soon as the store can be reached. It needs no login.
  public static func trackEvent(_ name: String, parameters: [String: OnsideEventValue] = [:]) {
    client().trackEvent(name, parameters: parameters)
  }

  /// Reports an analytics event with a predefined name: `Onside.trackEvent(.purchaseCompleted)`.
  public static func trackEvent(_ name: OnsideEventName, parameters: [String: OnsideEventValue] = [:]) {
    client().trackEvent(name, parameters: parameters)
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
