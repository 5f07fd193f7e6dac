import Foundation
import OnsideCommerce
import OnsideKit
import ScriptedBrowser
import StoreTestSupport
import Testing

/// A device: the SDK in a folder of its own, an app that listens, and the user before it.
@MainActor
final class TestedDevice {
  /// What differs between devices.
  struct Settings: Sendable {
    var app = TestedSystem.app
    var languages = ["en"]
    var region: String? = "NL"
    /// Whether the app finishes what is paid inside the callback, as the README's does.
    var finishesPurchases = false
    /// The other apps of the device.
    var apps: any AppOpener = NoAppOpener()
    /// How the device waits. Pauses between tries are shortened; deadlines are what they are.
    var sleep: @Sendable (Double) async throws -> Void = { seconds in
      try await Task.sleep(for: .seconds(seconds < 10 ? seconds / 50 : seconds))
    }
  }

  let user: SimulatedUser
  let folder: TemporaryFolder
  let settings: Settings
  private let makeClient: @MainActor (Dependencies) throws -> OnsideClient
  /// How far the device's clock is ahead, in seconds.
  private let clock = Observed(0.0)
  private let log = LogRecorder()
  private(set) var client: OnsideClient
  private(set) var app: Listener
  private var isObserved = false

  init(
    of user: SimulatedUser, in folder: TemporaryFolder, _ settings: Settings,
    makeClient: @escaping @MainActor (Dependencies) throws -> OnsideClient
  ) throws {
    self.user = user
    self.folder = folder
    self.settings = settings
    self.makeClient = makeClient
    app = Listener(finishesPurchases: settings.finishesPurchases)
    client = try makeClient(Self.dependencies(folder, user: user, settings: settings, clock: clock, log: log))
    client.delegate = app
    client.defaultPaymentQueue().delegate = app
  }

  var queue: any OnsidePaymentQueue { client.defaultPaymentQueue() }
  var warnings: [String] { log.warnings }
  /// All lines of the SDK's log.
  var logText: String { log.text }

  func observe() {
    isObserved = true
    queue.add(observer: app)
  }

  func close() async { await client.close() }

  /// Ends the app as a kill would, and starts it again on the same folder.
  func restart(observed: Bool? = nil) async throws {
    await client.close()
    let hint = app.hint
    app = Listener(finishesPurchases: settings.finishesPurchases)
    app.hint = hint
    client = try makeClient(Self.dependencies(folder, user: user, settings: settings, clock: clock, log: log))
    client.delegate = app
    queue.delegate = app
    if observed ?? isObserved { observe() }
  }

  /// Moves the device's clock, for example past the end of an access token.
  func advance(seconds: Double) { clock.change { $0 += seconds } }

  /// The transactions on its disk; one that is being written has another file beside it for a moment.
  var files: [String] { folder.names(in: "transactions").filter { !$0.hasSuffix(".tmp") } }

  private static func dependencies(
    _ folder: TemporaryFolder, user: SimulatedUser, settings: Settings, clock: Observed<Double>,
    log: LogRecorder
  ) -> Dependencies {
    var dependencies = Dependencies.live(
      storageFolder: folder.url, screens: user, logger: log.logger)
    dependencies.keepSecretsInFiles()
    dependencies.now = { Date().addingTimeInterval(clock.value) }
    dependencies.sleep = settings.sleep
    dependencies.languages = { settings.languages }
    dependencies.systemRegion = { settings.region }
    dependencies.apps = settings.apps
    return dependencies
  }
}

extension TestedDevice {
  func product(_ id: String) async throws -> OnsideProduct {
    let response = try await client.products(for: [id])
    return try #require(response.products.first, "\(id) is not sold")
  }

  func payment(_ id: String, token: String? = nil, quantity: Int = 1) async throws -> OnsidePayment {
    var payment = OnsidePayment(product: try await product(id))
    payment.appAccountToken = token
    payment.quantity = quantity
    return payment
  }

  /// Adds a payment whose completion the listener hears.
  func add(_ id: String, token: String? = nil, quantity: Int = 1) async throws {
    let payment = try await payment(id, token: token, quantity: quantity)
    queue.add(payment) { [app] result in app.hear(.completed("\(id): \(result.name)")) }
  }

  func restore() {
    queue.restoreCompletedTransactions { [app] result in app.hear(.completed("restore: \(result.name)")) }
  }

  /// Buys and pays; the transaction that comes of it, not finished.
  func buy(_ id: String, token: String? = nil, quantity: Int = 1) async throws -> OnsidePaymentTransaction {
    let before = Set(app.updates.map(\.id))
    try await add(id, token: token, quantity: quantity)
    let bought: @MainActor (Listener) -> OnsidePaymentTransaction? = { app in
      app.updates.first { $0.transactionState == .purchased && !before.contains($0.id) }
    }
    try await app.until { bought($0) != nil }
    return try #require(bought(app))
  }

  /// Buys the monthly plan with an offer, and pays; the transaction that comes of it, not finished.
  func buy(_ offer: OnsidePaymentOffer, token: String? = nil) async throws -> OnsidePaymentTransaction {
    let product = try await product(ExampleProducts.monthly)
    let result = try await queue.purchase(product, appAccountToken: token, offer: offer)
    guard case .purchased(let transaction) = result else {
      throw BrowserFailure("expected the purchase with \(offer.offerIdentifier) to be paid, but it is \(result)")
    }
    return transaction
  }

  func buy(_ offer: Offer) async throws -> OnsidePaymentTransaction {
    try await buy(OnsidePaymentOffer(offerIdentifier: offer.id))
  }

  /// Finishes, and returns when the app has been told.
  func finish(_ transaction: OnsidePaymentTransaction) async throws {
    queue.finishTransaction(transaction)
    try await app.removal(of: transaction)
  }
}

extension Result where Success == Void {
  var name: String {
    switch self {
    case .success: "success"
    case .failure(let error): "\(error)"
    }
  }
}
