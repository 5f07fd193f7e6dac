import Foundation
import OnsideStore

/// What `onside serve` says once it listens.
struct StartText {
  let core: StoreCore
  let configuration: ServeConfiguration
  let address: URL

  func show() {
    print(
      """
      The store is open: \(address.absoluteString)
        environment  \(configuration.store.environment.rawValue)
        database     \(URL(filePath: configuration.database).path())
        apps         \(apps)
      Press Control-C to stop.
      """)
    fflush(nil)
  }

  private var apps: String {
    let names = core.apps.all.map(\.id)
    guard names.isEmpty else { return names.joined(separator: ", ") }
    return "none yet; add one from another terminal: onside import FILE.storekit --app io.example.app"
  }
}
