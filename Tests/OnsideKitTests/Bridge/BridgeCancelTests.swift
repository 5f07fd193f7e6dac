import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Pages that give up a login or a purchase", .timeLimit(.minutes(5)))
struct BridgeCancelTests {
  private static let coins = #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#
  private static let buyCoins = #"{"productIdentifier":"\#(LocalFile.coins)"}"#

  @Test("ACC-19: cancelLogin gives a login under way up; without one it changes nothing")
  func login() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    #expect(await page.call("cancelLogin").isFulfilled)
    harness.shopper.set { $0.hesitates = true }
    let calls = page.begin(("requestLogin", "null"), ("restoreCompletedTransactions", "null"))
    #expect(await eventually { harness.shopper.logins == 1 && harness.client.account.waiting.count == 2 })
    #expect(await page.call("cancelLogin").isFulfilled)
    #expect(await eventually { page.waiting == 0 })
    for call in calls { #expect(page.result(of: call)?.rejection == ["loginDiscarded"]) }
    harness.shopper.set { $0.hesitates = false }
    #expect(await page.call("requestLogin").isFulfilled)
  }

  @Test("QUE-24: cancelPurchase gives a purchase up that is under way; an unknown id is unknownTransaction")
  func purchase() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    harness.shopper.set { $0.hesitatesToPay = true }
    _ = await page.call("loadProducts", with: Self.coins)
    #expect(await page.call("purchase", with: Self.buyCoins).isFulfilled)
    let id = try #require(harness.client.queue.transactions.first?.id)
    #expect(await page.call("cancelPurchase", with: "\"\(id)\"").isFulfilled)
    #expect(await eventually { harness.client.queue.transactions.first?.transactionState == .failed })
    #expect(harness.client.queue.transactions.first?.error == .cancelled)
    #expect(await page.call("finishTransaction", with: "\"\(id)\"").isFulfilled)
    #expect(await eventually { harness.client.queue.transactions.isEmpty })
    let rejection = await page.call("cancelPurchase", with: "\"\(id)\"").rejection
    #expect(rejection == ["unknownTransaction"])
    let secondRejection = await page.call("cancelPurchase", with: #""nonsense""#).rejection
    #expect(secondRejection == ["unknownTransaction"])
  }

  @Test("GAT-1: a page buys what it has loaded: what another view loads in another region does not change its price")
  func regions() async throws {
    let harness = try BridgeHarness()
    let (page, other) = (PageDouble(harness.bridge.makeView(), answer: false), PageDouble(harness.bridge.makeView()))
    page.ready()
    _ = await page.call("requestLogin")
    _ = await page.call("loadProducts", with: Self.coins)
    harness.store.storefront = .unitedStates
    #expect(await eventually { harness.client.queue.storefront?.countryCode == "US" })
    _ = await other.call("loadProducts", with: Self.coins)
    #expect(await page.call("purchase", with: Self.buyCoins).isFulfilled)
    #expect(await eventually { !page.gates.isEmpty })
    #expect(page.gates.first?["name"]?.text == "shouldContinueTransaction")
    #expect(await eventually { harness.client.queue.transactions.isEmpty })
    // The other view has seen the American price, and is asked nothing.
    #expect(await other.call("purchase", with: Self.buyCoins).isFulfilled)
    #expect(await eventually { harness.client.queue.transactions.first?.transactionState == .purchased })
    #expect(page.gates.count == 1)
  }
}
