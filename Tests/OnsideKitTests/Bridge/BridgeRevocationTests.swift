import Foundation
import Testing

@testable import OnsideKit

@MainActor
@Suite("Revocations over the bridge", .timeLimit(.minutes(5)))
struct BridgeRevocationTests {
  private func page(_ view: BridgeView, reportsDelivery: Bool = true) -> PageDouble {
    let page = PageDouble(view, handlers: ["onTransactionsRevoked"], reportsDelivery: reportsDelivery)
    page.ready()
    return page
  }

  @Test("JSB-15: the queue records a revocation as delivered when a page reports it, not when it is sent to the page")
  func recorded() async throws {
    let harness = try BridgeHarness()
    let silent = page(harness.bridge.makeView(), reportsDelivery: false)
    let transaction = try await harness.buyAndRefund()
    #expect(await eventually { silent.heard == ["onTransactionsRevoked"] })
    #expect(await silent.call("getTransactions").isFulfilled)
    #expect(harness.undelivered == 1)
    silent.say(.delivered(revocations: [transaction.id]))
    #expect(await eventually { harness.undelivered == 0 })
  }

  @Test(
    "JSB-15: a revocation that a page has not reported goes to the next page, in its view or another, until one does",
    arguments: [false, true])
  func nextPage(inSameView: Bool) async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let silent = page(view, reportsDelivery: false)
    let transaction = try await harness.buyAndRefund()
    #expect(await eventually { silent.heard == ["onTransactionsRevoked"] })
    if !inSameView { view.close() }
    let next = page(inSameView ? view : harness.bridge.makeView())
    #expect(await eventually { harness.undelivered == 0 })
    let ids = next.events.flatMap { $0["argument"]?.items ?? [] }.map { $0["id"]?.text }
    #expect(ids == [transaction.id.uuidString.lowercased()])
    let last = page(harness.bridge.makeView())
    #expect(await last.call("getTransactions").isFulfilled)
    #expect(last.heard == [] && next.heard == ["onTransactionsRevoked"])
  }

  @Test("JSB-15: a page gets a revocation once, also when it removes its handler and sets it again")
  func oncePerPage() async throws {
    let harness = try BridgeHarness()
    let silent = page(harness.bridge.makeView(), reportsDelivery: false)
    _ = try await harness.buyAndRefund()
    #expect(await eventually { silent.heard == ["onTransactionsRevoked"] })
    silent.say(.handlers(names: []))
    silent.say(.handlers(names: ["onTransactionsRevoked"]))
    #expect(await silent.call("getTransactions").isFulfilled)
    #expect(silent.heard == ["onTransactionsRevoked"])
  }

  @Test("JSB-15: a page without a handler when the purchase is revoked gets the revocation when it sets one again")
  func handlerSetAgain() async throws {
    let harness = try BridgeHarness()
    let page = page(harness.bridge.makeView())
    #expect(await page.call("getTransactions").isFulfilled)
    page.say(.handlers(names: []))
    _ = try await harness.buyAndRefund()
    #expect(page.heard == [])
    page.say(.handlers(names: ["onTransactionsRevoked"]))
    #expect(await eventually { page.heard == ["onTransactionsRevoked"] })
  }

  @Test("JSB-15: a revocation that no page has reported is delivered to a page of the next start, and then to none")
  func nextStart() async throws {
    let harness = try BridgeHarness()
    let transaction = try await harness.buyAndRefund()
    await harness.client.close()
    var counts: [Int] = []
    for _ in 1...2 {
      let client = harness.relaunch()
      let next = page(OnsideBridge(client: client).makeView())
      #expect(await eventually { client.queue.machine.isLoaded && client.queue.machine.account != nil })
      if counts.isEmpty { #expect(await eventually { next.heard == ["onTransactionsRevoked"] }) }
      #expect(await eventually { client.queue.machine.book.untold.isEmpty })
      counts.append(next.events.flatMap { $0["argument"]?.items ?? [] }.count)
      await client.close()
    }
    #expect(counts == [1, 0], "\(transaction.id)")
  }

  @Test("JSB-15: a page cannot report a revocation that it was not sent")
  func unsent() async throws {
    let harness = try BridgeHarness()
    let other = PageDouble(harness.bridge.makeView(), handlers: [])
    other.ready()
    let silent = page(harness.bridge.makeView(), reportsDelivery: false)
    let transaction = try await harness.buyAndRefund()
    #expect(await eventually { silent.heard == ["onTransactionsRevoked"] })
    other.say(.delivered(revocations: [transaction.id]))
    #expect(await other.call("getTransactions").isFulfilled)
    #expect(harness.undelivered == 1)
  }

  @Test("JSB-15: after a logout no page gets the account's revocation; after its next login the next page does")
  func logout() async throws {
    let harness = try BridgeHarness()
    let silent = page(harness.bridge.makeView(), reportsDelivery: false)
    _ = try await harness.buyAndRefund()
    #expect(await eventually { silent.heard.contains("onTransactionsRevoked") })
    harness.client.logout()
    let next = page(harness.bridge.makeView())
    #expect(await next.call("getTransactions").isFulfilled)
    #expect(!next.heard.contains("onTransactionsRevoked"))
    try await harness.client.login()
    #expect(await eventually { next.heard.contains("onTransactionsRevoked") })
    #expect(await eventually { harness.undelivered == 0 })
  }

  @Test("JSB-15: beside an observer of the app's own, its call counts as delivery, and a page gets the revocation, too")
  func besideAnObserver() async throws {
    let harness = try BridgeHarness()
    let watcher = Watcher()
    harness.client.queue.add(observer: watcher)
    let transaction = try await harness.buyAndRefund()
    #expect(await eventually { harness.undelivered == 0 })
    let page = page(harness.bridge.makeView())
    #expect(await eventually { page.heard == ["onTransactionsRevoked"] })
    #expect(watcher.revocations.map(\.id) == [transaction.id])
  }
}

@MainActor
@Suite(
  "Revocations in a JavaScript engine", .timeLimit(.minutes(5)), .enabled(if: NodePage.node != nil, "needs node"))
struct NodeRevocationTests {
  @Test(
    "JSB-15: a page reports a revocation when its handler has returned, also if the handler empties its argument",
    arguments: ["", "all.length = 0;", "delete all[0].id; return 'yes';"])
  func returned(body: String) async throws {
    let harness = try BridgeHarness()
    let page = try NodePage(harness.bridge.makeView())
    _ = try await page.run("onside.onTransactionsRevoked = (all) => { \(body) }; load();")
    _ = try await harness.buyAndRefund()
    #expect(await eventually { harness.undelivered == 0 })
    #expect(page.logged.isEmpty)
  }

  @Test("JSB-15: a page reports a revocation when the promise of its handler is fulfilled, not before")
  func fulfilled() async throws {
    let harness = try BridgeHarness()
    let page = try NodePage(harness.bridge.makeView())
    _ = try await page.run(
      """
      globalThis.called = false;
      const saved = new Promise((resolve) => { globalThis.save = resolve; });
      onside.onTransactionsRevoked = async () => { called = true; await saved; };
      load();
      """)
    _ = try await harness.buyAndRefund()
    _ = try await page.run("while (!called) await task(); await onside.getTransactions(); await onside.requestLogin();")
    #expect(harness.undelivered == 1)
    _ = try await page.run("save();")
    #expect(await eventually { harness.undelivered == 0 })
  }

  @Test(
    "JSB-15: a handler that throws, or whose promise is rejected, leaves the revocation to the next page",
    arguments: ["throw new Error('full')", "return Promise.reject(new Error('full'))"])
  func failed(body: String) async throws {
    let harness = try BridgeHarness()
    let page = try NodePage(harness.bridge.makeView())
    _ = try await page.run(
      "globalThis.calls = 0; onside.onTransactionsRevoked = () => { calls += 1; \(body); }; load();")
    let transaction = try await harness.buyAndRefund()
    let calls = try await page.run(
      "while (!calls) await task(); await onside.getTransactions(); await onside.requestLogin(); return calls;")
    #expect(calls == "1" && harness.undelivered == 1)
    #expect(await eventually { page.logged.count == 1 })
    let next = try NodePage(harness.bridge.makeView())
    let ids = try await next.run(
      """
      const revoked = new Promise((resolve) => { onside.onTransactionsRevoked = resolve; });
      load();
      return (await revoked).map(({ id }) => id);
      """)
    #expect(ids == "[\"\(transaction.id.uuidString.lowercased())\"]")
    #expect(await eventually { harness.undelivered == 0 })
  }
}

extension BridgeHarness {
  /// Buys and finishes coins, refunds them, and returns when the queue has delivered the revocation to the bridge.
  fileprivate func buyAndRefund() async throws -> OnsidePaymentTransaction {
    try await client.login()
    let product = try #require(try await client.products(for: [LocalFile.coins]).products.first)
    let queue = client.queue
    try await queue.add(OnsidePayment(product: product))
    #expect(await eventually { queue.transactions.last?.transactionState == .purchased })
    let transaction = try #require(queue.transactions.last)
    queue.finishTransaction(transaction)
    #expect(await eventually { queue.transactions.isEmpty })
    let revocations = queue.machine.book.entries.values.count(where: \.isRevoked)
    #expect(store.refund(transaction.id))
    #expect(await eventually { queue.machine.book.entries.values.count(where: \.isRevoked) > revocations })
    return transaction
  }

  /// The number of revocations that the queue has not recorded as delivered.
  fileprivate var undelivered: Int { client.queue.machine.book.untold.count }
}
