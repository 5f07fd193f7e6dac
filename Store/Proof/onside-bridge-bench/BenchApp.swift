import Foundation
import Logging
import OnsideCommerce
import OnsideKit

/// An app on a store in memory, with a logged-in user and no screens.
@MainActor
final class BenchApp {
  let bridge: OnsideBridge
  private let store: LocalStore
  private let client: OnsideClient

  init(storeKitFile: URL) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-bridge-\(UUID())")
    let dependencies = Dependencies.live(
      storageFolder: folder, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let configuration = try StoreKitConfiguration.decode(Data(contentsOf: storeKitFile), path: storeKitFile.path)
    store = LocalStore(configuration, dependencies: dependencies)
    store.settings.disableDialogs = true
    client = OnsideClient(localStore: store, dependencies: dependencies)
    bridge = OnsideBridge(client: client)
    try await client.login()
  }

  /// Buys on another device, and waits until all purchases have arrived.
  func fill(_ count: Int, to total: Int? = nil) async throws {
    for _ in 0..<count {
      guard store.buy("coins_100") != nil else { throw BenchError("expected to buy coins_100") }
    }
    while client.defaultPaymentQueue().transactions.count < total ?? count {
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
