import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("The app's token for its user", .timeLimit(.minutes(5)))
struct AppAccountTokenTests {
  @Test("QUE-18: a payment without a token carries the token that the app has set; a payment's own token wins")
  func payments() async throws {
    let rig = try LocalRig()
    rig.client.appAccountToken = "user-1"
    let first = try await rig.buy(LocalFile.coins)
    #expect(first.payment.appAccountToken == "user-1")
    await rig.finish(first)
    let product = try await rig.product(LocalFile.coins)
    _ = try await rig.queue.purchase(product, appAccountToken: "user-2")
    #expect(rig.purchased.last?.payment.appAccountToken == "user-2")
    rig.client.appAccountToken = nil
    let last = try await rig.buy(LocalFile.adFree)
    #expect(last.payment.appAccountToken == nil)
    await rig.close()
  }

  @Test("QUE-18: a token that no store takes is logged when it is set, and payments with it are refused")
  func invalid() async throws {
    let rig = try LocalRig()
    rig.client.appAccountToken = "a\u{0}b"
    #expect(rig.world.log.take().contains { $0.text.contains("U+0000") })
    let product = try await rig.product(LocalFile.coins)
    await #expect(throws: OnsidePaymentError.self) { try await rig.queue.add(OnsidePayment(product: product)) }
    await #expect(throws: OnsidePaymentError.self) { try await rig.client.presentCodeRedemption() }
    #expect(rig.store.transactions().isEmpty)
    await rig.close()
  }

  @Test("SUB-11: the pages for codes and subscriptions are opened with the app's token; a call's own token wins")
  func pages() async throws {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: ClientHarness())
    store.answerLogin(.success(.alice))
    try await client.presentCodeRedemption()
    client.appAccountToken = "user-1"
    try await client.presentCodeRedemption()
    try await client.presentCodeRedemption(appAccountToken: "user-2")
    try await client.presentSubscriptionsManager(group: "plans")
    #expect(store.now.pageTokens == [nil, "user-1", "user-2", "user-1"])
    await client.close()
  }
}
