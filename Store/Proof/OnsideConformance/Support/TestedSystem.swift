import ConformanceTable
import Foundation
import Logging
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales
import StoreStripe
import StoreTestSupport
import StripeDouble
import Synchronization

/// The whole system of one test: a store with its database, its pages and its messages, the network before it, and
/// the devices that speak to it. Everything is real but the user.
final class TestedSystem: Sendable {
  static let app = "io.example.lumen"
  static let redirect = "io.example.lumen://onside"

  let folder: TemporaryFolder
  /// The store on the device; nil over HTTP.
  let local: LocalStore?
  /// How far the local store's clock is ahead, in seconds.
  let ahead = Observed(0.0)
  private let proxy: FaultProxy?
  let phones = Phones()
  private let stores = Mutex<[StoreInstance]>([])
  private let database: CaseDatabase
  /// The double of Stripe that the store is paid through, and the secret of its calls; nil with the sandbox.
  private let stripe: (double: StripeServerDouble, secret: String)?
  /// What the monthly plan has beside its trial.
  private let offers: [Offer]
  @MainActor private var devices: [TestedDevice] = []

  private init(paidThrough stripe: StripeServerDouble?, offering offers: [Offer]) async throws {
    self.offers = offers
    folder = try TemporaryFolder()
    let isLocal = Column.current == .local
    local = isLocal ? try ExampleProducts.localStore(in: folder, ahead: ahead, offering: offers) : nil
    database =
      Column.current == .postgres ? try await .makePostgres() : .sqlite(file: folder.file("store.db"))
    // Last, because a proxy that is not closed ends the process.
    proxy = isLocal ? nil : try await FaultProxy()
    if let stripe, let address = proxy?.address {
      let webhook = stripe.addWebhook("\(address.absoluteString)/providers/stripe/events")
      self.stripe = (stripe, webhook.secret)
    } else {
      self.stripe = nil
    }
  }

  /// Whether there is a store over HTTP, and a network before it.
  var isOverHTTP: Bool { proxy != nil }

  /// The network. A case that needs it has to say so: `.columns(.store, because: …)`, or look at ``isOverHTTP``.
  var network: FaultProxy {
    guard let proxy else { preconditionFailure("there is no network in column \(Column.current.letter)") }
    return proxy
  }

  /// Makes a system with a store that is open, runs the test, and takes everything down.
  @MainActor
  static func run(
    paidThrough stripe: StripeServerDouble? = nil, offering offers: [Offer] = [],
    _ body: @MainActor (TestedSystem) async throws -> Void
  ) async throws {
    let system = try await TestedSystem(paidThrough: stripe, offering: offers)
    let result: Result<Void, any Error>
    do {
      if system.isOverHTTP { try await system.openStore() }
      result = .success(try await body(system))
    } catch { result = .failure(error) }
    for device in system.devices { await device.close() }
    if system.isOverHTTP {
      await system.closeStore()
      await system.network.close()
      try await system.database.remove()
    }
    await system.local?.close()
    try result.get()
  }

  /// The inside of the store, of the first one if there are several: to look at and to act as an operator does.
  var core: StoreCore {
    guard let core = stores.withLock({ $0.first?.core }) else { preconditionFailure("the store is closed") }
    return core
  }

  /// The addresses at which the open stores listen.
  var addresses: [URL] { stores.withLock { $0.map(\.address) } }

  /// Starts the store on its data; it answers when this returns.
  func openStore() async throws {
    let cores = try await makeCores()
    let first = cores[0]
    try await first.apps.register(
      App(
        id: Self.app, name: "Lumen", redirectURIs: [Self.redirect, "http://127.0.0.1/callback"],
        defaultCountry: CountryCode(alpha2: "NL")))
    if first.catalogue.catalogue(of: Self.app).products.isEmpty {
      try await first.catalogue.replace(ExampleProducts.catalogue(offering: offers), of: Self.app)
    }
    for other in cores.dropFirst() { try await other.reload() }
    for core in cores {
      let instance = try await StoreInstance(serving: core)
      stores.withLock { $0.append(instance) }
    }
    let addresses = addresses
    network.stores.withLock { $0 = .init(addresses) }
  }

  /// Changes the store as an operator's command does. Returns when every store has read the change, which they do by
  /// themselves within a second.
  func operate<Result: Sendable>(
    _ change: @Sendable (StoreCore) async throws -> Result
  ) async throws -> Result {
    let result = try await change(core)
    for other in stores.withLock({ $0.dropFirst().map(\.core) }) {
      try await other.reload()
      other.changes.wakeAll()
    }
    return result
  }

  /// Several open the database at the same time.
  private func makeCores() async throws -> [StoreCore] {
    try await withThrowingTaskGroup(of: StoreCore.self) { group in
      for _ in 0..<Column.current.stores { group.addTask { try await self.makeCore() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func makeCore() async throws -> StoreCore {
    var configuration = StoreConfiguration()
    configuration.port = 0
    configuration.publicURL = network.address
    configuration.payments = payments
    return try await StoreCore(
      StoreDependencies(
        database: try await database.open(), logger: Logger(label: "store") { _ in SwiftLogNoOpLogHandler() },
        configuration: configuration, sender: phones))
  }

  private var payments: PaymentConfiguration {
    var payments = PaymentConfiguration()
    guard let stripe else { return payments }
    payments.provider = .stripe
    payments.stripe.secretKey = ConfigurationSecret(stripe.double.secretKey)
    payments.stripe.publishableKey = stripe.double.publishableKey
    payments.stripe.webhookSecret = ConfigurationSecret(stripe.secret)
    payments.stripe.apiAddress = URL(string: stripe.double.address)
    return payments
  }

  /// Stops the store, or all of them at the same time.
  func closeStore() async {
    network.stores.withLock { $0 = .init() }
    let open = stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
    await withDiscardingTaskGroup { group in
      for store in open { group.addTask { await store.close() } }
    }
  }

  /// A device of a user, with a folder of its own unless one is given.
  @MainActor
  func device(
    of user: SimulatedUser, in folder: TemporaryFolder? = nil, observed: Bool = true,
    _ configure: (inout TestedDevice.Settings) -> Void = { _ in }
  ) async throws -> TestedDevice {
    var settings = TestedDevice.Settings()
    configure(&settings)
    let device = try TestedDevice(of: user, in: try folder ?? TemporaryFolder(), settings) {
      [local, proxy] dependencies in
      if let local { return OnsideClient(localStore: local, dependencies: dependencies) }
      let configuration = try OnsideConfiguration(
        storeURL: proxy?.address ?? URL(filePath: "/"), appIdentifier: settings.app,
        storageFolder: dependencies.storageFolder)
      return OnsideClient(configuration: configuration, dependencies: dependencies)
    }
    if observed { device.observe() }
    devices.append(device)
    return device
  }

  /// A user with a phone of this system.
  func user(_ phone: String = "+31612345678") -> SimulatedUser {
    SimulatedUser(phone: phone, messages: phones, local: local)
  }

  /// A device on which its user has logged in.
  @MainActor
  func signedInDevice(
    of user: SimulatedUser, observed: Bool = true, _ configure: (inout TestedDevice.Settings) -> Void = { _ in }
  ) async throws -> TestedDevice {
    let device = try await device(of: user, observed: observed, configure)
    try await device.client.login()
    return device
  }
}
