import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Events over the bridge", .timeLimit(.minutes(5)))
struct BridgeEventTests {
  private func bought(_ harness: BridgeHarness) async throws -> OnsidePaymentTransaction {
    try await harness.client.login()
    let product = try #require(try await harness.client.products(for: [LocalFile.coins]).products.first)
    try await harness.client.queue.add(OnsidePayment(product: product))
    #expect(await eventually { harness.client.queue.transactions.last?.transactionState == .purchased })
    return try #require(harness.client.queue.transactions.last)
  }

  @Test("JSB-7: events wait until the page is ready, and each transaction has its state of then")
  func waitUntilReady() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let transaction = try await bought(harness)
    _ = await page.call("getTransactions")
    #expect(page.events.isEmpty)
    page.ready()
    #expect(await eventually { page.heard.contains("onTransactionsUpdated") })
    let states = page.events.filter { $0["name"] == .string("onTransactionsUpdated") }.flatMap {
      $0["argument"]?.items.compactMap { $0["transactionState"]?.text } ?? []
    }
    #expect(states == ["purchased"])
    #expect(page.heard.filter { $0 == "onStorefrontChanged" }.count == 1)
    #expect(page.events.last?["argument"]?.items.first?["id"]?.text == transaction.id.uuidString.lowercased())
  }

  @Test("JSB-15: the revocation of a finished purchase reaches a page, with its dates")
  func revoked() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let transaction = try await bought(harness)
    harness.client.queue.finishTransaction(transaction)
    #expect(await eventually { harness.client.queue.transactions.isEmpty })
    #expect(harness.store.refund(transaction.id))
    page.ready()
    #expect(await eventually { page.heard.contains("onTransactionsRevoked") })
    let event = page.events.first { $0["name"]?.text == "onTransactionsRevoked" }
    let revoked = try #require(event?["argument"]?.items.first)
    #expect(revoked["id"]?.text == transaction.id.uuidString.lowercased())
    #expect(revoked["purchaseDate"]?.text.flatMap(RFC3339.date) != nil)
    #expect(revoked["revocationDate"]?.text.flatMap(RFC3339.date) != nil)
    #expect(revoked["expirationDate"] == nil)
  }

  @Test("JSB-15: a transaction's dates and signed record are fields of it")
  func fields() throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let product = OnsideProduct(ProductMessage.named("coins"))
    let transaction = OnsidePaymentTransaction(
      id: UUID(), transactionIdentifier: nil, originalTransactionIdentifier: nil,
      payment: OnsidePayment(product: product), transactionState: .purchased,
      storefront: OnsideStorefront(id: "1", countryCode: "NL"), date: date, purchaseDate: date,
      expirationDate: date + 3600, revocationDate: date + 60, signedPurchase: "a.b.c")
    let json = try JSON(JSONText(JSPaymentTransaction(transaction)).text)
    #expect(json["purchaseDate"]?.text == "2027-01-15T08:00:00Z")
    #expect(json["expirationDate"]?.text == "2027-01-15T09:00:00Z")
    #expect(json["revocationDate"]?.text == "2027-01-15T08:01:00Z")
    #expect(json["signedPurchase"]?.text == "a.b.c")
  }

  @Test("JSB-11: every page receives every unfinished transaction at its start, exactly once")
  func toldAtStart() async throws {
    let harness = try BridgeHarness()
    let transactions = [try await bought(harness), try await bought(harness)]
    let view = harness.bridge.makeView()
    for view in [view, view, harness.bridge.makeView()] {
      let page = PageDouble(view)
      page.ready()
      page.ready()
      #expect(await eventually { page.heard.contains("onTransactionsUpdated") })
      #expect(await page.call("initializeOnside", with: #""v1""#).isFulfilled)
      try await harness.client.login()
      #expect(await page.call("getTransactions").isFulfilled)
      let received = page.events.filter { $0["name"] == .string("onTransactionsUpdated") }
        .flatMap { $0["argument"]?.items ?? [] }
      #expect(received.map { $0["id"]?.text } == transactions.map { $0.id.uuidString.lowercased() })
      #expect(received.map { $0["transactionState"]?.text } == ["purchased", "purchased"])
    }
  }

  @Test("JSB-11: events of a view that is closed while it loads go to the next view")
  func viewClosedWhileLoading() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let loading = PageDouble(view)
    _ = try await bought(harness)
    view.close()
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    #expect(await eventually { page.heard == ["onStorefrontChanged", "onTransactionsUpdated"] })
    #expect(loading.events.isEmpty)
  }

  @Test("JSB-11: a page that starts before the queue has delivered a transaction to the bridge receives it once")
  func startsAmongMany() async throws {
    let harness = try BridgeHarness()
    let transaction = try await bought(harness)
    let observer: any OnsidePaymentTransactionObserver = harness.bridge
    // The state before the queue delivers the transactions that it has read from the disk.
    observer.onsidePaymentQueue(harness.client.queue, removedTransactions: [transaction])
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    #expect(await page.call("getTransactions").isFulfilled)
    #expect(!page.heard.contains("onTransactionsUpdated"))
    observer.onsidePaymentQueue(harness.client.queue, updatedTransactions: [transaction])
    #expect(await eventually { page.heard.last == "onTransactionsUpdated" })
    #expect(page.heard.filter { $0 == "onTransactionsUpdated" }.count == 1)
  }

  @Test("JSB-7: a page receives events after the reply to initializeOnside, also those from before its view")
  func initializeIsReady() async throws {
    let harness = try BridgeHarness()
    _ = try await bought(harness)
    let page = PageDouble(harness.bridge.makeView())
    let reply = try JSON(page.say(.call(id: 1, function: "initializeOnside", parameters: #""v1""#)))
    #expect(reply["number"]?.int == 1 && reply["events"] == nil && reply["results"]?.items.count == 1)
    #expect(await eventually { page.heard == ["onStorefrontChanged", "onTransactionsUpdated"] })
    harness.client.logout()
    #expect(await eventually { Set(page.heard.dropFirst(2)) == ["onTransactionsRemoved", "onStorefrontChanged"] })
  }

  @Test("JSB-7: events of a page that has ended go to the next page, and a call of the ended page is rejected")
  func nextPage() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let first = PageDouble(view)
    first.ready()
    first.end()
    let lost = first.begin(("getTransactions", "null")).lowerBound
    #expect(first.result(of: lost)?.code == "bridgeDetached")
    _ = try await bought(harness)
    let second = PageDouble(view)
    let itemCount = await second.call("getTransactions")["value"]?.items.count
    #expect(itemCount == 1)
    second.ready()
    #expect(await eventually { second.heard.contains("onTransactionsUpdated") })
    #expect(first.events.isEmpty)
  }

  @Test("JSB-7: a call of a page that was left is carried out, and no page is given its result")
  func resultOfFormerPage() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let first = PageDouble(view)
    let login = first.begin(("requestLogin", "null")).lowerBound
    let second = PageDouble(view)
    second.ready()
    #expect(await eventually { second.heard == ["onStorefrontChanged"] })
    #expect(await second.call("getTransactions").isFulfilled)
    #expect(first.result(of: login) == nil && second.answered == [1])
  }

  @Test("JSB-7: a page that buys before it has loaded receives the transaction")
  func purchaseIsReady() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#)
    #expect(await page.call("purchase", with: #"{"productIdentifier":"\#(LocalFile.coins)"}"#).isFulfilled)
    #expect(page.gates.count == 1)
    #expect(await eventually { page.heard.contains("onTransactionsUpdated") })
  }

  @Test("QUE-10: a double tap in a page is one order, and the page receives each of its states once")
  func doubleTap() async throws {
    let harness = try BridgeHarness()
    harness.shopper.set { $0.hesitatesToPay = true }
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#)
    for _ in 1...2 {
      #expect(await page.call("purchase", with: #"{"productIdentifier":"\#(LocalFile.coins)"}"#).isFulfilled)
    }
    harness.shopper.set { $0.hesitatesToPay = false }
    #expect(await eventually { harness.client.queue.transactions.first?.transactionState == .purchased })
    #expect(await page.call("getTransactions").isFulfilled)
    let states = page.events.filter { $0["name"]?.text == "onTransactionsUpdated" }.flatMap {
      $0["argument"]?.items.compactMap { $0["transactionState"]?.text } ?? []
    }
    #expect(states == ["purchasing", "purchased"])
    #expect(harness.client.queue.transactions.count == 1)
  }

  @Test("JSB-7: a ready page without handlers gets revocations and unfinished transactions when it sets handlers, once")
  func lateHandlers() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView(), handlers: [])
    page.ready()
    let refunded = try await bought(harness)
    harness.client.queue.finishTransaction(refunded)
    #expect(await eventually { harness.client.queue.transactions.isEmpty })
    let open = try await bought(harness)
    #expect(harness.store.refund(refunded.id))
    #expect(await page.call("getTransactions").isFulfilled)
    #expect(page.events.isEmpty)
    page.say(.handlers(names: ["onTransactionsRevoked"]))
    #expect(await eventually { page.heard == ["onTransactionsRevoked"] })
    page.say(.handlers(names: ["onTransactionsRevoked", "onTransactionsUpdated"]))
    #expect(await eventually { page.heard == ["onTransactionsRevoked", "onTransactionsUpdated"] })
    let ids = page.events.compactMap { $0["argument"]?.items.first?["id"]?.text }
    #expect(ids == [refunded, open].map { $0.id.uuidString.lowercased() })
  }

  @Test("JSB-7: a page without shop code leaves revocations to the next page of its view")
  func pageWithoutHandlers() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let landing = PageDouble(view, handlers: [])
    landing.ready()
    let refunded = try await bought(harness)
    harness.client.queue.finishTransaction(refunded)
    #expect(await eventually { harness.client.queue.transactions.isEmpty })
    #expect(harness.store.refund(refunded.id))
    #expect(await landing.call("getTransactions").isFulfilled)
    let shop = PageDouble(view, handlers: ["onTransactionsRevoked"])
    shop.ready()
    #expect(await eventually { shop.heard == ["onTransactionsRevoked"] })
    #expect(landing.events.isEmpty)
  }

  @Test("Every open view receives a change of the storefront")
  func allViews() async throws {
    let harness = try BridgeHarness()
    let pages = (0..<3).map { _ in PageDouble(harness.bridge.makeView()) }
    for page in pages { page.ready() }
    try await harness.client.login()
    for page in pages { #expect(await eventually { page.heard == ["onStorefrontChanged"] }) }
  }

  @Test("RST-2: a page receives the restored transactions, then the end of the restore")
  func restore() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    try await harness.client.login()
    let adFree = try #require(try await harness.client.products(for: [LocalFile.adFree]).products.first)
    try await harness.client.queue.add(OnsidePayment(product: adFree))
    #expect(await eventually { harness.client.queue.transactions.first?.transactionState == .purchased })
    harness.client.queue.finishTransaction(try #require(harness.client.queue.transactions.first))
    #expect(await eventually { page.heard.last == "onTransactionsRemoved" })
    #expect(await page.call("restoreCompletedTransactions").isFulfilled)
    #expect(await eventually { page.heard.last == "onRestoreCompletedTransactionsFinished" })
    #expect(page.heard.suffix(2) == ["onTransactionsUpdated", "onRestoreCompletedTransactionsFinished"])
  }

  @Test("A page receives the error of a failed restore")
  func failedRestore() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    let observer: any OnsidePaymentTransactionObserver = harness.bridge
    observer.onsidePaymentQueue(harness.client.queue, restoreCompletedTransactionsFailedWithError: .connectionError)
    #expect(await eventually { !page.events.isEmpty })
    #expect(page.heard == ["onRestoreCompletedTransactionsFailedWithError"])
    #expect(page.events[0]["argument"] == .object(["connectionError": .object([:])]))
  }
}

func transaction(_ number: UInt8, state: OnsidePaymentTransactionState) -> OnsidePaymentTransaction {
  OnsidePaymentTransaction(
    id: UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), transactionIdentifier: nil,
    originalTransactionIdentifier: nil,
    payment: OnsidePayment(
      product: OnsideProduct(
        productIdentifier: "a", localizedTitle: "A", localizedDescription: "",
        price: OnsidePrice(money: Money(minorUnits: 1, currency: .eur), formatted: "€ 0,01"),
        productType: .consumable)),
    transactionState: state, storefront: OnsideStorefront(id: "1", countryCode: "NL"), date: .distantPast)
}

@Suite("Events that wait", .timeLimit(.minutes(5)))
struct HeldEventsTests {
  private let callbacks = Set(BridgeCallback.all.map(\.name))

  @Test("Held events have the last state of each transaction, and the last storefront")
  func merged() {
    var held = HeldEvents(limit: 100)
    let (one, two) = (transaction(1, state: .purchasing), transaction(2, state: .purchasing))
    held.add(.updated([one, two]))
    held.add(.storefrontChanged(nil))
    held.add(.updated([transaction(1, state: .purchased)]))
    held.add(.removed([two]))
    held.add(.storefrontChanged(OnsideStorefront(id: "2", countryCode: "BE")))
    #expect(
      held.take() == [
        .updated([transaction(1, state: .purchased)]), .removed([two]),
        .storefrontChanged(OnsideStorefront(id: "2", countryCode: "BE")),
      ])
    #expect(held.events.isEmpty)
  }

  @Test("JSB-11: the unfinished transactions replace held updates, before the end of a restore")
  func atStart() {
    let (one, two) = (transaction(1, state: .restored), transaction(2, state: .purchased))
    let storefront = OnsideStorefront(id: "1", countryCode: "NL")
    var held = HeldEvents(limit: 100)
    held.add(.storefrontChanged(storefront))
    held.add(.updated([one]))
    held.add(.restoreFinished)
    #expect(
      held.take(for: callbacks, with: [one, two])
        == [.storefrontChanged(storefront), .updated([one, two.redelivered]), .restoreFinished])
    held.add(.updated([one]))
    #expect(held.take(for: callbacks, with: []) == [])
  }

  @Test("QUE-17: a page receives purchases that an earlier page received as redelivered, and other purchases as new")
  func redelivered() {
    let (heard, bought) = (transaction(1, state: .purchased), transaction(2, state: .purchased))
    let open = transaction(3, state: .purchasing)
    var held = HeldEvents(limit: 100)
    held.add(.updated([heard]))
    #expect(held.take(for: callbacks, with: [heard]) == [.updated([heard])])
    held.add(.updated([bought]))
    #expect(held.take(for: callbacks, with: [heard, bought, open]) == [.updated([heard.redelivered, bought, open])])
    #expect(heard.deliveryReason == .new && heard.redelivered.deliveryReason == .redelivered)
  }

  @Test("Held events above the limit are dropped, the oldest first")
  func bounded() {
    var held = HeldEvents(limit: 3)
    held.add(.restoreFinished)
    for number in 1...5 { held.add(.updated([transaction(UInt8(number), state: .purchased)])) }
    #expect(held.events == [.updated((3...5).map { transaction($0, state: .purchased) })])
  }

  @Test("Of several ends of restores only the last is held")
  func restoreEnds() {
    var held = HeldEvents(limit: 3)
    held.add(.restoreFinished)
    held.add(.restoreFailed(.connectionError))
    held.add(.restoreFinished)
    #expect(held.events == [.restoreFinished])
  }

  @Test("JSB-7: an event that is sent drops older ones of its transactions that are held for another callback")
  func superseded() {
    var held = HeldEvents(limit: 100)
    let (one, two) = (transaction(1, state: .purchased), transaction(2, state: .purchased))
    held.add(.updated([one, two]))
    held.add(.storefrontChanged(nil))
    held.supersede(with: .removed([one]))
    let left = held.take(for: ["onStorefrontChanged"], with: nil)
    #expect(left == [.storefrontChanged(nil)])
    #expect(held.events == [.updated([two])])
  }
}
