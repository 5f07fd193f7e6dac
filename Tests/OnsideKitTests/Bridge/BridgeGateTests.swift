import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Gates over the bridge", .timeLimit(.minutes(5)))
struct BridgeGateTests {
  private static let storefront = OnsideStorefront(id: "other", countryCode: "BE")

  /// A deadline that no other pause has.
  private static let limits = {
    var limits = BridgeLimits()
    limits.gateDeadline = 2 * 1234.5
    return limits
  }()

  private static func product(_ name: String) -> OnsideProduct {
    OnsideProduct(
      productIdentifier: name, localizedTitle: name, localizedDescription: "",
      price: OnsidePrice(money: Money(minorUnits: 1, currency: .eur), formatted: "€0.01"), productType: .consumable)
  }

  /// Asks as the queue would; the answer comes when the pages have given it.
  private func ask(_ harness: BridgeHarness) async throws -> Task<Bool, Never> {
    let product = try #require(try await harness.client.products(for: [LocalFile.coins]).products.first)
    let transaction = OnsidePaymentTransaction(
      id: UUID(), transactionIdentifier: nil, originalTransactionIdentifier: nil,
      payment: OnsidePayment(product: product), transactionState: .purchasing, storefront: Self.storefront,
      date: .distantPast)
    let delegate: any OnsidePaymentQueueDelegate = harness.bridge
    let asked = Task { [queue = harness.client.queue] in
      await delegate.onsidePaymentQueue(queue, shouldContinue: transaction, in: Self.storefront)
    }
    #expect(await eventually { harness.bridge.gates.lastID == 1 })
    return asked
  }

  @Test("GAT-2: the page is asked, with transaction and storefront, and its answer counts", arguments: [true, false])
  func answered(_ answer: Bool) async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView(), answer: answer)
    page.ready()
    let answerValue = try await ask(harness).value
    #expect(answerValue == answer)
    #expect(page.gates.first?["name"] == .string("shouldContinueTransaction"))
    #expect(page.gates.first?["argument"]?["storefront"]?["countryCode"] == .string("BE"))
    #expect(page.gates.first?["argument"]?["transaction"]?.keys.contains("payment") == true)
  }

  /// Who leaves a gate without an answer.
  enum Silence: CaseIterable { case noPage, pageThatNeverIsReady, pageThatHangs, pageThatWasLeft }

  @Test(
    "JSB-5: a gate says no when its page is gone, hangs or never becomes ready, once its deadline is over",
    arguments: Silence.allCases)
  func deadline(silence: Silence) async throws {
    let harness = try BridgeHarness(limits: Self.limits)
    let half = harness.bridge.limits.gateDeadline / 2
    let page = silence == .noPage ? nil : PageDouble(harness.bridge.makeView(), answer: nil, hangs: true)
    if silence != .pageThatNeverIsReady { page?.ready() }
    let answer = try await ask(harness)
    if silence == .pageThatWasLeft { page?.end() }
    for _ in 1...2 {
      #expect(await eventually { harness.world.clock.sleepers(endingIn: half) == 1 })
      #expect(harness.bridge.gates.count == 1)
      harness.world.clock.advance(half)
    }
    let answerValue = await answer.value
    #expect(answerValue == false)
    #expect(harness.bridge.gates.count == 0)
    #expect(await eventually { page?.heartbeats ?? 0 == (silence == .pageThatHangs ? 1 : 0) })
  }

  @Test("JSB-5: a page that answers its heartbeats is waited for over ten deadlines, and its answer counts")
  func patient() async throws {
    let harness = try BridgeHarness(limits: Self.limits)
    let half = harness.bridge.limits.gateDeadline / 2
    let page = PageDouble(harness.bridge.makeView(), answer: nil)
    page.ready()
    let answer = try await ask(harness)
    for beat in 1...20 {
      #expect(await eventually { harness.world.clock.sleepers(endingIn: half) == 1 })
      harness.world.clock.advance(half)
      #expect(await eventually { page.heartbeats == beat })
      #expect(await page.call("getTransactions").isFulfilled)
      #expect(harness.bridge.gates.count == 1)
    }
    page.answer(1, with: true)
    #expect(await answer.value)
  }

  @Test("JSB-5: a view whose page never becomes ready is not asked, and does not hold up the others' answer")
  func notReady() async throws {
    let harness = try BridgeHarness()
    let (ready, loading) = (PageDouble(harness.bridge.makeView()), PageDouble(harness.bridge.makeView()))
    ready.ready()
    #expect(try await ask(harness).value)
    #expect(loading.gates.isEmpty)
  }

  @Test("JSB-5: when one page has decided, the dialogs of the others are withdrawn")
  func withdrawn() async throws {
    let harness = try BridgeHarness()
    let (asked, deciding) = (
      PageDouble(harness.bridge.makeView(), answer: nil), PageDouble(harness.bridge.makeView(), answer: nil)
    )
    asked.ready()
    deciding.ready()
    let answer = try await ask(harness)
    #expect(await eventually { !asked.gates.isEmpty && !deciding.gates.isEmpty })
    deciding.answer(1, with: false)
    let answerValue = await answer.value
    #expect(answerValue == false)
    #expect(await eventually { asked.withdrawn == [1] })
    #expect(deciding.withdrawn.isEmpty)
  }

  @Test("JSB-12: the page that buys is asked, and no other; when its view is closed the answer is no")
  func actingPage() async throws {
    let harness = try BridgeHarness()
    let other = PageDouble(harness.bridge.makeView(), answer: false)
    let view = harness.bridge.makeView()
    let buyer = PageDouble(view, answer: nil)
    other.ready()
    buyer.ready()
    _ = await buyer.call("loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#)
    buyer.begin(("purchase", #"{"productIdentifier":"\#(LocalFile.coins)"}"#))
    #expect(await eventually { buyer.gates.count == 1 })
    buyer.answer(1, with: true)
    #expect(await eventually { buyer.waiting == 0 && harness.client.queue.transactions.count == 1 })
    harness.client.logout()
    buyer.begin(("purchase", #"{"productIdentifier":"\#(LocalFile.coins)","appAccountToken":"again"}"#))
    #expect(await eventually { buyer.gates.count == 2 })
    view.close()
    #expect(await eventually { harness.bridge.gates.count == 0 })
    #expect(other.gates.isEmpty && harness.client.queue.transactions.count == 1)
  }

  @Test("JSB-7: a page that is left without an answer does not answer; the next one is asked again")
  func reload() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let first = PageDouble(view, answer: nil)
    first.ready()
    let answer = try await ask(harness)
    #expect(await eventually { first.gates.count == 1 })
    let second = PageDouble(view, answer: false)
    let gate = try #require(first.gates.first?["id"]?.int)
    first.answer(gate, with: true)
    second.ready()
    let answerValue = await answer.value
    #expect(answerValue == false)
    #expect(second.gates == first.gates)
  }

  @Test("JSB-5: a question waits for the first page, also for one in a view that did not exist")
  func lateView() async throws {
    let harness = try BridgeHarness()
    let answer = try await ask(harness)
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    #expect(await answer.value)
  }

  @Test("JSB-5: yes needs every view that has a page; one that closes is not waited for")
  func allViews() async throws {
    let harness = try BridgeHarness()
    let (one, other) = (harness.bridge.makeView(), harness.bridge.makeView())
    let agreeing = PageDouble(one)
    let silent = PageDouble(other, answer: nil)
    agreeing.ready()
    silent.ready()
    let answer = try await ask(harness)
    #expect(await eventually { !agreeing.gates.isEmpty && !silent.gates.isEmpty })
    #expect(await agreeing.call("getTransactions").isFulfilled)
    #expect(harness.bridge.gates.count == 1)
    other.close()
    #expect(await answer.value)
  }

  @Test("JSB-12: of purchases the last page that asked is known, until they are over")
  func actingViews() throws {
    var acting = ActingViews()
    let coins = OnsidePayment(product: Self.product("coins"))
    var gift = coins
    gift.appAccountToken = "gift"
    var three = coins
    three.quantity = 3
    acting.record(coins, by: 1)
    acting.record(gift, by: 2)
    acting.record(coins, by: 3)
    acting.record(three, by: 4)
    #expect([coins, gift, three].map { acting.view(for: $0) } == [3, 2, 4])
    acting.forget(coins)
    #expect([coins, gift, three].map { acting.view(for: $0) } == [nil, 2, 4])
    for view in 10...200 { acting.record(OnsidePayment(product: Self.product("\(view)")), by: view) }
    #expect(acting.view(for: gift) == nil)
    #expect(acting.view(for: OnsidePayment(product: Self.product("200"))) == 200)
  }

  @Test("JSB-5: one refusal decides, also after another page agreed; a later answer changes nothing")
  func oneNo() async throws {
    let harness = try BridgeHarness()
    let (agreeing, refusing) = (
      PageDouble(harness.bridge.makeView()), PageDouble(harness.bridge.makeView(), answer: false)
    )
    agreeing.ready()
    refusing.ready()
    let answer = try await ask(harness)
    let answerValue = await answer.value
    #expect(answerValue == false)
    agreeing.answer(1, with: true)
    #expect(await agreeing.call("getTransactions").isFulfilled)
  }

  @Test(
    "GAT-6: a page that refuses after the login rejects the purchase, and nothing is enqueued",
    arguments: [true, false])
  func afterLogin(_ answer: Bool) async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView(), answer: answer)
    page.ready()
    _ = await page.call("loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#)
    let result = await page.call("purchase", with: #"{"productIdentifier":"\#(LocalFile.coins)"}"#)
    #expect(result.rejection == (answer ? nil : ["rejectedAfterLogin"]))
    #expect(page.gates.map { $0["name"] } == [.string("shouldContinueTransactionAfterLogin")])
    #expect(page.gates.first?["argument"]?.keys == ["transaction"])
    #expect(harness.client.queue.transactions.isEmpty == !answer)
  }
}
