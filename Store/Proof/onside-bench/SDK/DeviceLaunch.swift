import ArgumentParser
import Foundation
import OnsideKit

/// One launch of an app: starts the SDK on a storage folder and prints the durations. With `--plain` the same
/// files are read without the SDK, which shows what the machine and the watchdog themselves cost.
struct DeviceLaunch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "device", shouldDisplay: false)

  @Option var store: String
  @Option var storage: String
  @Option(help: "How many transactions are in the journal.") var transactions: Int
  @Flag var plain = false

  func run() async throws {
    let watchdog = MainActorWatchdog()
    watchdog.start()
    try await Platform.wait(0.3)
    let noise = watchdog.takeLongest()
    let start = ContinuousClock.now
    let known = plain ? 0 : try await startSDK()
    if plain { try await readFiles() }
    let shown = start.duration(to: .now).milliseconds
    try await Platform.wait(0.5)
    let longest = watchdog.takeLongest()
    watchdog.stop()
    print("\(known) \(shown) \(longest) \(noise)")
  }

  /// Returns the milliseconds until the storefront was known; ends when every transaction was shown.
  @MainActor
  private func startSDK() async throws -> Double {
    let start = ContinuousClock.now
    let client = try SDKClient.make(store: store, storage: storage, screens: nil)
    let queue = client.defaultPaymentQueue()
    while queue.storefront == nil { await Task.yield() }
    let known = start.duration(to: .now).milliseconds
    let observer = CountingObserver()
    queue.add(observer: observer)
    await observer.seen(transactions)
    Self.running = (client, observer)
    return known
  }

  /// The client goes on, as in an app, until the process ends.
  @MainActor private static var running: (OnsideClient, CountingObserver)?

  private func readFiles() async throws {
    let folder = URL(filePath: storage).appending(path: "transactions")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let half = names.count / 2
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in [names[..<half], names[half...]] {
        group.addTask { for name in part { _ = try Data(contentsOf: folder.appending(path: name)) } }
      }
      try await group.waitForAll()
    }
  }
}

/// A client of the SDK on a storage folder.
enum SDKClient {
  @MainActor
  static func make(store: String, storage: String, screens: (any ScreenPresenter)?) throws -> OnsideClient {
    let folder = URL(filePath: storage, directoryHint: .isDirectory)
    let configuration = try OnsideConfiguration(
      storeURL: URL(string: store), appIdentifier: ExampleShop.app, storageFolder: folder)
    var dependencies =
      screens.map { Dependencies.live(storageFolder: folder, screens: $0) } ?? .live(storageFolder: folder)
    dependencies.keepSecretsInFiles()
    return OnsideClient(configuration: configuration, dependencies: dependencies)
  }
}
