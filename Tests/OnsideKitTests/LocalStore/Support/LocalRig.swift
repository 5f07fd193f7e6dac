import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// An app in local testing: a store, a client, an observer and a person with a browser.
@MainActor
final class LocalRig {
  let world: ClientHarness
  let store: LocalStore
  let browser: LocalBrowser
  let watcher = Watcher()
  let client: OnsideClient

  init(
    _ settings: String..., world: ClientHarness = ClientHarness(), keeping: Bool = false,
    sharing store: LocalStore? = nil,
    browser: LocalBrowser = LocalBrowser()
  ) throws {
    self.world = world
    self.browser = browser
    let dependencies = world.dependencies(screens: browser, languages: ["nl"], region: "US")
    let file = try LocalFile.configuration(settings.joined(separator: ",\n    "))
    self.store = store ?? LocalStore(file, dependencies: dependencies, keepsPurchases: keeping)
    client = OnsideClient(localStore: self.store, dependencies: dependencies)
    queue.add(observer: watcher)
  }

  var queue: any OnsidePaymentQueue { client.defaultPaymentQueue() }
  var purchased: [OnsidePaymentTransaction] { watcher.updates.filter { $0.transactionState == .purchased } }

  func product(_ id: String) async throws -> OnsideProduct {
    try #require(try await client.products(for: [id]).products.first)
  }

  func add(_ id: String) async throws {
    try await queue.add(OnsidePayment(product: product(id)))
  }

  /// Buys, and returns the new purchase.
  func buy(_ id: String) async throws -> OnsidePaymentTransaction {
    let before = Set(purchased.map(\.id))
    try await add(id)
    await watcher.until { _ in self.purchased.contains { !before.contains($0.id) } }
    return try #require(purchased.last)
  }

  /// Finishes, and returns when the store knows.
  func finish(_ transaction: OnsidePaymentTransaction, sourceLocation location: SourceLocation = #_sourceLocation) async
  {
    queue.finishTransaction(transaction)
    let isKnown = await eventually {
      self.store.transactions().first { $0.id == transaction.id }?.isFinished == true
    }
    #expect(isKnown, "the store never heard of the finish of \(transaction.id)", sourceLocation: location)
  }

  /// The same app in its next launch.
  func restart(browser: LocalBrowser = LocalBrowser()) async throws -> LocalRig {
    await close()
    return try LocalRig(world: world, keeping: true, browser: browser)
  }

  func close() async {
    await client.close()
    await store.close()
  }
}
