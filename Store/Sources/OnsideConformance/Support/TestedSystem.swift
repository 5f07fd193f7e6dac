import ConformanceTable
import Foundation
import Logging
import OnsideCommerce
import OnsideKit
import OnsideStore
import ServiceLifecycle
import StoreTestSupport
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
  private let running = Mutex<Running?>(nil)
  @MainActor private var devices: [TestedDevice] = []

  private struct Running: Sendable {
    let core: StoreCore
    let group: ServiceGroup
    let task: Task<Void, any Error>
  }

  private init() async throws {
    folder = try TemporaryFolder()
    let isLocal = Column.current == .local
    local = isLocal ? try ExampleProducts.localStore(in: folder, ahead: ahead) : nil
    proxy = isLocal ? nil : try await FaultProxy()
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
  static func run(_ body: @MainActor (TestedSystem) async throws -> Void) async throws {
    let system = try await TestedSystem()
    if system.isOverHTTP { try await system.openStore() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(system)) } catch { result = .failure(error) }
    for device in system.devices { await device.close() }
    if system.isOverHTTP {
      await system.closeStore()
      await system.network.close()
    }
    await system.local?.close()
    try result.get()
  }

  /// The store's inside, to look at and to change as an operator does.
  var core: StoreCore {
    guard let core = running.withLock({ $0?.core }) else { preconditionFailure("the store is closed") }
    return core
  }

  /// Starts the store on its data; it answers when this returns.
  func openStore() async throws {
    var configuration = StoreConfiguration()
    configuration.port = 0
    configuration.publicURL = network.address
    let core = try await StoreCore(
      StoreDependencies(
        database: try SQLiteDatabase.open(at: folder.file("store.db"), now: SystemClock().now()),
        logger: Logger(label: "store") { _ in SwiftLogNoOpLogHandler() }, configuration: configuration,
        sender: phones))
    try await core.apps.register(
      App(
        id: Self.app, name: "Lumen", redirectURIs: [Self.redirect, "http://127.0.0.1/callback"],
        defaultCountry: CountryCode(alpha2: "NL")))
    if core.catalogue.catalogue(of: Self.app).products.isEmpty {
      try await core.catalogue.replace(ExampleProducts.catalogue(), of: Self.app)
    }
    let application = StoreApplication(core: core)
    let (ports, listening) = AsyncStream.makeStream(of: Int?.self)
    let group = ServiceGroup(
      services: [StoreService(store: application) { listening.yield(core.address.port) }],
      logger: core.dependencies.logger)
    let task = Task {
      defer { listening.finish() }
      try await group.run()
    }
    running.withLock { $0 = Running(core: core, group: group, task: task) }
    for await case let port? in ports {
      network.store.withLock { $0 = URL(string: "http://127.0.0.1:\(port)") }
      return
    }
    try await task.value
  }

  /// Stops the store.
  func closeStore() async {
    network.store.withLock { $0 = nil }
    let running = running.withLock { running in
      defer { running = nil }
      return running
    }
    await running?.group.triggerGracefulShutdown()
    _ = await running?.task.result
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

/// The store as a service that can be told to stop.
private struct StoreService: Service {
  let store: StoreApplication
  let onListening: @Sendable () -> Void

  func run() async throws {
    try await store.run(gracefulShutdownSignals: []) { _ in onListening() }
  }
}
