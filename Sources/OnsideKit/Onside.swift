public import Foundation
public import Logging

/// The SDK's door (contract, section 1.1): one ``OnsideClient`` that the whole process shares.
///
/// Call ``initialize()`` at launch, before everything but ``delegate``, ``callbackScheme`` and ``appearance()``.
@MainActor
public enum Onside {
  private static let host = OnsideHost()
  private static var shared: OnsideClient?

  /// Starts the SDK with the configuration from Info.plist or the environment; see ``OnsideConfiguration``.
  ///
  /// A second call changes nothing. A missing or malformed value stops the program with a message that names its key.
  /// To go on instead, make the configuration yourself, which throws, and give it to
  /// ``initialize(configuration:screens:logger:)``.
  public static func initialize() {
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
  ///   - screens: shows the SDK's pages; the system's browser unless given.
  ///   - logger: where the SDK logs; silent unless given.
  public static func initialize(
    configuration: OnsideConfiguration, screens: (any ScreenPresenter)? = nil, logger: Logger? = nil
  ) {
    var dependencies = Dependencies.live(storageFolder: configuration.storageFolder)
    if let screens { dependencies.screens = screens }
    if let logger { dependencies.logger = logger }
    initialize(configuration: configuration, dependencies: dependencies)
  }

  /// Starts the SDK with everything that it takes from outside. A second call changes nothing.
  public static func initialize(configuration: OnsideConfiguration, dependencies: Dependencies) {
    guard shared == nil else {
      dependencies.logger.warning("Onside.initialize was called again; the first call counts, this one changes nothing")
      return
    }
    shared = OnsideClient(configuration: configuration, dependencies: dependencies, host: host)
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

  /// Takes an address that the system gave to the app; true exactly when its scheme is ``callbackScheme``.
  public static func handle(url: URL) -> Bool { client().handle(url: url) }

  /// A request for products; give it a delegate, keep it, and start it.
  public static func makeProductsRequest(productIdentifiers: Set<String>) -> any OnsideProductsRequest {
    client().makeProductsRequest(productIdentifiers: productIdentifiers)
  }

  /// A request for the signed history; `.notLoggedIn` at once when nobody is signed in.
  public static func makeSignedInAppsHistoryRequest()
    -> Result<any OnsideSignedInAppsHistoryRequest, OnsideSignedInAppsHistoryRequestError>
  {
    client().makeSignedInAppsHistoryRequest()
  }

  /// Logs in, unless somebody is logged in; joins a login that is under way.
  /// - Parameter completion: called once, on the main actor.
  public static func requestLogin(completion: (@MainActor (Result<Void, OnsideLoginError>) -> Void)? = nil) {
    client().requestLogin(completion: completion)
  }

  /// Logs out at once, also without a network.
  public static func logout() { client().logout() }

  /// Shows the page on which the user sees, adds and removes payment methods; logs in first if need be.
  /// - Parameter completion: called once, on the main actor, when the page has closed or why it was not shown.
  public static func presentPaymentMethodsManager(
    completion: (@MainActor (Result<Void, OnsidePaymentMethodsManagerError>) -> Void)? = nil
  ) {
    client().presentPaymentMethodsManager(completion: completion)
  }

  /// The shared client. A call without one is a mistake in the app's code, which no user should meet: it stops.
  static func client(for call: String = #function) -> OnsideClient {
    guard let shared else {
      fatalError("Onside.\(call) was called before Onside.initialize(); call Onside.initialize() first, at launch")
    }
    return shared
  }
}
