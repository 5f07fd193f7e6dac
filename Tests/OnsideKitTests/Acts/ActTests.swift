import CActCounters
import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// The code between `act_begins` and `act_ends` is what `script/acts` counts.
@MainActor
@Suite("Acts of the SDK", .timeLimit(.minutes(5)))
struct ActTests {
  @Test("a logged-in user's payment is ordered, paid on its page and delivered as .purchased")
  func purchase() async throws {
    let (world, transport) = (ClientHarness(), ScriptedStore())
    let configuration = world.configuration(try #require(URL(string: "https://store.example")))
    let screens = ScriptedScreens { _, page in .redirected(page) }
    let client = try client(configuration, of: transport, in: world, screens: screens)
    let (queue, watcher) = (client.defaultPaymentQueue(), Watcher())
    queue.add(observer: watcher)
    #expect(await eventually { await transport.polls == 2 })
    let payment = OnsidePayment(product: OnsideProduct(ProductMessage.named("coins")))
    act_begins()
    queue.add(payment, completion: nil)
    let transaction = try await watcher.first(.purchased)
    act_ends()
    #expect(watcher.states(of: transaction.id) == [.purchasing, .purchased])
    #expect(screens.shown.map { $0.path() } == ["/pay/token"])
    let requests = await transport.requests
    #expect(requests.count { $0 == "POST /v1/orders" } == 1)
    #expect(requests.contains("GET /v1/orders/\(transaction.id.uuidString.lowercased())"))
    await client.close()
  }

  @Test("a page's purchase reaches the queue as one payment of the product that the page has loaded")
  func pagePurchase() async throws {
    let harness = try BridgeHarness()
    let queue = harness.client.queue
    let page = PageDouble(harness.bridge.makeView())
    let loaded = await page.call("loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#)
    #expect(loaded.isFulfilled)
    #expect(await eventually { queue.machine.isLoaded })
    var payments = 0
    queue.checkpoint = { point in
      guard point == .added else { return }
      act_ends()
      payments += 1
    }
    act_begins()
    let bought = await page.call("purchase", with: #"{"productIdentifier":"\#(LocalFile.coins)"}"#)
    #expect(bought.isFulfilled)
    #expect(payments == 1)
    #expect(queue.transactions.map(\.payment.product.productIdentifier) == [LocalFile.coins])
    await harness.client.close()
  }

  /// A client with the session of an earlier launch.
  private func client(
    _ configuration: OnsideConfiguration, of transport: ScriptedStore, in world: ClientHarness,
    screens: ScriptedScreens
  ) throws -> OnsideClient {
    let tokens = TokenMessage(
      accessToken: "access", expiresIn: 600, refreshToken: "refresh", accountID: SignedIn.alice.accountID,
      country: .netherlands)
    try world.sessionFile().write(
      Session(
        tokens, store: configuration.storeURL, app: configuration.appIdentifier, now: world.clock.now))
    let dependencies = world.dependencies(screens: screens)
    let store = RemoteStore(
      store: configuration.storeURL, app: configuration.appIdentifier, dependencies: dependencies,
      transport: transport)
    return OnsideClient(
      configuration: configuration, dependencies: dependencies, store: store, host: OnsideHost())
  }
}
