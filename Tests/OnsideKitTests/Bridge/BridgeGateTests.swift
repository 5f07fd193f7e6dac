import Foundation
import Testing

@testable import OnsideKit

@MainActor
@Suite("Gates over the bridge", .timeLimit(.minutes(5)))
struct BridgeGateTests {
  private static let storefront = OnsideStorefront(id: "other", countryCode: "BE")

  /// Asks as the queue would; the answer comes when the pages have given it.
  private func ask(_ rig: BridgeRig) async throws -> Task<Bool, Never> {
    let product = try #require(try await rig.client.products(for: [LocalFile.coins]).products.first)
    let transaction = OnsidePaymentTransaction(
      id: UUID(), transactionIdentifier: nil, originalTransactionIdentifier: nil,
      payment: OnsidePayment(product: product), transactionState: .purchasing, storefront: Self.storefront,
      date: .distantPast)
    let delegate: any OnsidePaymentQueueDelegate = rig.bridge
    let asked = Task { [queue = rig.client.queue] in
      await delegate.onsidePaymentQueue(queue, shouldContinue: transaction, in: Self.storefront)
    }
    #expect(await eventually { rig.bridge.gates.lastID == 1 })
    return asked
  }

  @Test("GAT-2: the page is asked, with transaction and storefront, and its answer counts", arguments: [true, false])
  func answered(_ answer: Bool) async throws {
    let rig = try BridgeRig()
    let page = PageDouble(rig.bridge.makeView(), answer: answer)
    page.ready()
    #expect(try await ask(rig).value == answer)
    #expect(page.gates.first?["name"] == .string("shouldContinueTransaction"))
    #expect(page.gates.first?["argument"]?["storefront"]?["countryCode"] == .string("BE"))
    #expect(page.gates.first?["argument"]?["transaction"]?.keys.contains("payment") == true)
  }

  @Test(
    "JSB-5: a gate that nobody answers says no when its deadline by the client's clock is over",
    arguments: [true, false])
  func deadline(hasPage: Bool) async throws {
    let rig = try BridgeRig()
    let page = hasPage ? PageDouble(rig.bridge.makeView(), answer: nil) : nil
    page?.ready()
    let answer = try await ask(rig)
    #expect(await eventually { rig.world.clock.sleepers > 0 })
    rig.world.clock.advance(rig.bridge.limits.gateDeadline - 1)
    #expect(rig.bridge.gates.count == 1)
    rig.world.clock.advance(1)
    #expect(await answer.value == false)
    #expect(rig.bridge.gates.count == 0)
  }

  @Test("JSB-7: a page that is left without an answer does not answer; the next one is asked again")
  func reload() async throws {
    let rig = try BridgeRig()
    let view = rig.bridge.makeView()
    let first = PageDouble(view, answer: nil)
    first.ready()
    let answer = try await ask(rig)
    #expect(await eventually { first.gates.count == 1 })
    let second = PageDouble(view, answer: false)
    let gate = try #require(first.gates.first?["id"]?.int)
    first.answer(gate, true)
    second.ready()
    #expect(await answer.value == false)
    #expect(second.gates == first.gates)
  }

  @Test("JSB-5: a question waits for the first page, also for one in a view that did not exist")
  func lateView() async throws {
    let rig = try BridgeRig()
    let answer = try await ask(rig)
    let page = PageDouble(rig.bridge.makeView())
    page.ready()
    #expect(await answer.value)
  }

  @Test("JSB-5: yes needs every view that has a page; one that closes is not waited for")
  func allViews() async throws {
    let rig = try BridgeRig()
    let (one, other) = (rig.bridge.makeView(), rig.bridge.makeView())
    let agreeing = PageDouble(one)
    let silent = PageDouble(other, answer: nil)
    agreeing.ready()
    silent.ready()
    let answer = try await ask(rig)
    #expect(await eventually { !agreeing.gates.isEmpty && !silent.gates.isEmpty })
    #expect(await agreeing.call("getTransactions").isFulfilled)
    #expect(rig.bridge.gates.count == 1)
    other.close()
    #expect(await answer.value)
  }

  @Test("JSB-5: one no decides, whoever has agreed before; a later answer changes nothing")
  func oneNo() async throws {
    let rig = try BridgeRig()
    let (agreeing, refusing) = (PageDouble(rig.bridge.makeView()), PageDouble(rig.bridge.makeView(), answer: false))
    agreeing.ready()
    refusing.ready()
    let answer = try await ask(rig)
    #expect(await answer.value == false)
    agreeing.answer(1, true)
    #expect(await agreeing.call("getTransactions").isFulfilled)
  }

  @Test(
    "GAT-6: a page that refuses after the login rejects the purchase, and nothing is enqueued",
    arguments: [true, false])
  func afterLogin(_ answer: Bool) async throws {
    let rig = try BridgeRig()
    let page = PageDouble(rig.bridge.makeView(), answer: answer)
    page.ready()
    _ = await page.call("loadProducts", #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#)
    let result = await page.call("purchase", #"{"productIdentifier":"\#(LocalFile.coins)"}"#)
    #expect(result.rejection == (answer ? nil : ["rejectedAfterLogin"]))
    #expect(page.gates.map { $0["name"] } == [.string("shouldContinueTransactionAfterLogin")])
    #expect(page.gates.first?["argument"]?.keys == ["transaction"])
    #expect(rig.client.queue.transactions.isEmpty == !answer)
  }
}
