import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization

@testable import OnsideKit

/// A scripted user who logs in and pays by default.
final class Shopper: LocalPerson {
  struct Mood {
    var name: String? = "Alice"
    var pays = true
    var logins = 0
    /// Whether they look at the login page and do nothing.
    var hesitates = false
    /// Whether they look at the payment page and do nothing.
    var hesitatesToPay = false
  }
  private let mood = Mutex(Mood())

  var logins: Int { mood.withLock { $0.logins } }
  func set(_ change: @Sendable (inout Mood) -> Void) { mood.withLock { change(&$0) } }

  func logsIn(suggesting name: String) async -> String? {
    mood.withLock { $0.logins += 1 }
    while mood.withLock({ $0.hesitates }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
    return mood.withLock { $0.name }
  }

  func pays(for order: OrderMessage) async -> Bool {
    while mood.withLock({ $0.hesitatesToPay }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
    return mood.withLock { $0.pays }
  }
}

/// A bridge to a client of a store in memory, with a person instead of screens.
@MainActor
final class BridgeHarness {
  let world = ClientHarness()
  let shopper = Shopper()
  let store: LocalStore
  let client: OnsideClient
  let bridge: OnsideBridge
  private let scope = ClientScope()

  init(limits: BridgeLimits = BridgeLimits()) throws {
    let dependencies = world.dependencies()
    store = LocalStore(try LocalFile.configuration(), dependencies: dependencies, keepsPurchases: false)
    client = OnsideClient(
      localStore: store, dependencies: dependencies, scope: scope, person: shopper, wrap: { $0 })
    bridge = OnsideBridge(client: client, limits: limits)
  }

  /// A client of a new process of the app, on the same folder and store. Close the former one first.
  func relaunch() -> OnsideClient {
    OnsideClient(
      localStore: store, dependencies: world.dependencies(), scope: ClientScope(), person: shopper, wrap: { $0 })
  }
}
