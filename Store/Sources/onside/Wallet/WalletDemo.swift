import ArgumentParser
import Foundation
import Logging
import OnsideCommerce
import OnsideStore
import OnsideWallet
import StoreAccounts
import StoreBase
import StoreVault

/// Walks a wallet's life against a store that runs in this process, and says what each step proved.
struct WalletDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Walks a wallet from sign up over login to destruction and recovery, with a store that runs here.",
    discussion: "In a folder of its own, gone afterwards. Exit status 1 when a step proves something else.")

  func run() async throws {
    ProcessHardening.apply()
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-wallet-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    print("A store runs in this process with an empty database; the wallet's folder is empty, too.")
    try await DemoStore(folder: folder).run { store, clock in
      try await WalletLife(folder: folder, store: store, clock: clock).walk()
    }
    print("\nEach step proved what it says. On your own machine: onside serve, and onside wallet create --vault URL.")
  }
}

/// A sandbox store with an empty database, on a free port.
private struct DemoStore {
  let folder: URL
  static let app = App(
    id: "io.example.lumen", name: "Lumen", redirectURIs: ["http://127.0.0.1/callback"],
    defaultCountry: CountryCode(alpha2: "NL"))

  /// Runs `body` with the store's address and its clock, and stops.
  func run(_ body: @escaping @Sendable (URL, SandboxClockSetting) async throws -> Void) async throws {
    var configuration = StoreConfiguration()
    configuration.port = 0
    configuration.vault.guardPath = folder.appending(path: "vault.guard").path()
    let clock = SystemClock()
    let database = try SQLiteDatabase.open(at: folder.appending(path: "store.sqlite").path(), now: clock.now())
    let logger = Logger(label: "onside") { _ in SwiftLogNoOpLogHandler() }
    let core = try await StoreCore(
      StoreDependencies(clock: clock, database: database, logger: logger, configuration: configuration))
    try await core.apps.register(Self.app)
    let (addresses, listening) = AsyncStream.makeStream(of: URL.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await StoreApplication(core: core).run { listening.yield($0) } }
      group.addTask {
        for await address in addresses { return try await body(address, SandboxClockSetting(core.dependencies.base)) }
      }
      // Whichever ends first ends both: the walk, or a store that could not start.
      try await group.next()
      group.cancelAll()
    }
  }
}
