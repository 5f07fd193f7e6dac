import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Payment screens of the queue", .timeLimit(.minutes(5)))
struct QueueScreenTests {
  private func open(_ harness: QueueHarness, presented: Int = 1) async throws -> OnsidePaymentTransaction {
    await harness.store.until { _, log in log.count { $0 == .present } == presented }
    return try #require(harness.queue.transactions.first { $0.transactionState == .purchasing })
  }

  // MARK: A second wish

  @Test("QUE-24: a second add while the payment page is open opens the page again; a double press does not")
  func broughtBack() async throws {
    let world = ClientHarness()
    let (pages, opened) = AsyncStream.makeStream(of: URL.self)
    let browser = SystemBrowserPresenter(sleep: world.clock.sleep) { page in
      opened.yield(page)
      return true
    }
    let dependencies = world.dependencies(screens: browser)
    let store = LocalStore(try LocalFile.configuration(""), dependencies: dependencies)
    let client = OnsideClient(localStore: store, dependencies: dependencies)
    let (queue, watcher) = (client.defaultPaymentQueue(), Watcher())
    queue.add(observer: watcher)
    let coins = try #require(try await client.products(for: [LocalFile.coins]).products.first)
    var shown = pages.makeAsyncIterator()
    let login = Task { try await client.login() }
    let loginPage = try #require(await shown.next())
    _ = try await LocalBrowser.send([(name: "name", value: "Alice"), (name: "act", value: "go")], to: loginPage)
    #expect(
      await eventually {
        world.clock.advance(LocalScreen.patience)
        return queue.storefront != nil
      })
    try await login.value

    try await queue.add(OnsidePayment(product: coins))
    let payment = try #require(await shown.next())
    try await queue.add(OnsidePayment(product: coins))
    world.clock.advance(ScreenReminder.pause)
    try await queue.add(OnsidePayment(product: coins))
    // Had the second press opened the page, too, this would be the second of three.
    let next = await shown.next()
    #expect(next == payment)
    #expect(queue.transactions.count == 1)
    _ = try await LocalBrowser.send([(name: "act", value: "go")], to: payment)
    #expect(
      await eventually {
        world.clock.advance(LocalScreen.patience)
        return watcher.updates.contains { $0.transactionState == .purchased }
      })
    opened.finish()
    let secondNext = await shown.next()
    #expect(secondNext == nil)
    await client.close()
    await store.close()
  }

  @Test("QUE-24: a second add of an order whose screen has been left shows the same order again")
  func leftAndWantedAgain() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.comeBack, .pay)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    await harness.store.until { _, log in log.contains(.check) }
    #expect(await eventually { harness.queue.machine.purchases[transaction.id]?.phase == .left })
    try harness.add(RuleProducts.coins)
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == transaction.id)
    #expect(harness.watcher.states(of: transaction.id) == [.purchasing, .purchased])
    let orderCount = await harness.store.rules.orders.count
    #expect(orderCount == 1)
  }

  // MARK: cancel(_:)

  @Test(
    "QUE-10, QUE-24: an add right after a launch joins the order that an earlier launch left open",
    arguments: [false, true])
  func joinedAtLaunch(isStoreSlow: Bool) async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.leaveOpen, .pay)
    guard case .pending(let left) = try await harness.queue.purchase(try harness.payment(RuleProducts.coins)) else {
      Issue.record("expected an order that is left open")
      return
    }
    if isStoreSlow { for _ in 0..<2 { await harness.store.disturb(.check, with: .fail(.connection)) } }
    await harness.restart()
    let result = try await harness.queue.purchase(try harness.payment(RuleProducts.coins))
    guard case .purchased(let transaction) = result else {
      Issue.record("expected .purchased, got \(result)")
      return
    }
    #expect(transaction.id == left.id)
    let charges = await harness.store.rules.charges
    #expect(charges == [left.id: 1])
  }

  @Test("QUE-8: an add right after a launch makes a new order if the order of the earlier launch was never shown")
  func newOrderAtLaunch() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay, .pay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let earlier = try #require(harness.queue.transactions.first?.id)
    await harness.restart()
    let result = try await harness.queue.purchase(try harness.payment(RuleProducts.coins))
    guard case .purchased(let transaction) = result else {
      Issue.record("expected .purchased, got \(result)")
      return
    }
    #expect(transaction.id != earlier)
    #expect(harness.watcher.states(of: earlier).last == .failed)
  }

  @Test("QUE-24: cancel closes the screen and fails the payment with .cancelled, once the store has given the order up")
  func cancelOpen() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    await harness.store.change { $0.openPage(transaction.id) }
    harness.queue.cancel(transaction)
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.id == transaction.id && failed.error == .cancelled)
    let cancelReason = await harness.store.rules.orders[transaction.id]?.cancelReason
    #expect(cancelReason == .user)
    await harness.store.until { _, _ in true }
    #expect(await eventually { await harness.store.openScreens == 0 })
    _ = try await harness.buy(RuleProducts.coins)
  }

  @Test("QUE-24: cancel of a payment whose turn has not come needs no store, and the others go on")
  func cancelWaiting() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    let first = try await open(harness)
    try harness.add(RuleProducts.coins, token: "second")
    await harness.watcher.until { $0.updates.count == 2 }
    let waiting = try #require(harness.queue.transactions.last)
    harness.queue.cancel(waiting)
    let firstID = try await harness.watcher.first(.failed).id
    #expect(firstID == waiting.id)
    let productIDs = await harness.store.requests.map(\.productID)
    #expect(productIDs == [RuleProducts.coins])
    await harness.store.change { $0.pay(first.id) }
    let secondFirstID = try await harness.watcher.first(.purchased).id
    #expect(secondFirstID == first.id)
  }

  @Test("QUE-24: cancel of what is paid at the store comes as purchased, and a final state does not change")
  func cancelTooLate() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payAndStay)
    await harness.store.disturb(.sync, with: .hang)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    harness.queue.cancel(transaction)
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.id == transaction.id)
    harness.queue.cancel(bought)
    #expect(harness.queue.transactions.map(\.transactionState) == [.purchased])
    let state = await harness.store.rules.orders[transaction.id]?.state
    #expect(state == .paid)
  }

  @Test("QUE-24: money on its way is not called back; a payment that is declined then fails")
  func cancelProcessing() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    #expect(await eventually { harness.queue.machine.purchases[transaction.id]?.phase == .processing })
    harness.queue.cancel(transaction)
    let cancelCount = await harness.store.count(of: .cancel)
    #expect(cancelCount == 0)
    await harness.store.change { $0.decline(transaction.id) }
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
  }

  @Test("QUE-24: a cancel that the network loses is repeated until the store has heard it")
  func cancelLost() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    await harness.store.disturb(.cancel, with: .fail(.connection), .loseAnswer)
    try harness.add(RuleProducts.coins)
    harness.queue.cancel(try await open(harness))
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
    // The sync may tell of the cancel whose answer was lost before it is repeated.
    let cancelCount = await harness.store.count(of: .cancel)
    #expect(cancelCount >= 2)
  }

  // MARK: Redirects and closed screens

  @Test("QUE-25: a redirect cancels nothing: the SDK asks, the order stays open, and a later payment is delivered")
  func redirectAsks() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.comeBack)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    #expect(await eventually { harness.queue.machine.purchases[transaction.id]?.phase == .left })
    let checkCount = await harness.store.count(of: .check)
    #expect(checkCount >= 1)
    let cancelCount = await harness.store.count(of: .cancel)
    #expect(cancelCount == 0)
    // The turn is free for the next payment meanwhile.
    _ = try await harness.buy(RuleProducts.pro)
    await harness.store.change { $0.pay(transaction.id) }
    await harness.watcher.until { $0.states(of: transaction.id) == [.purchasing, .purchased] }
  }

  @Test(
    "QUE-25: an order that was left fails when it expires, also when the sync starts over meanwhile",
    arguments: [false, true])
  func leftExpires(startsOver: Bool) async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.comeBack)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    #expect(await eventually { harness.queue.machine.purchases[transaction.id]?.phase == .left })
    await harness.store.change {
      if startsOver { $0.restoreBackup() }
      $0.expire(transaction.id)
    }
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
  }

  @Test("QUE-25: a screen whose time is over gives the order up, unless its page is open in a browser")
  func timeIsOver() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.timeOut)
    try harness.add(RuleProducts.pro)
    let failed = try await harness.watcher.first(.failed)
    let givenUp = await harness.store.rules.orders[failed.id]
    #expect(failed.error == .cancelled && givenUp?.cancelReason == .screenClosed)
    harness.queue.finishTransaction(failed)
    await harness.store.script(.leaveOpen)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness, presented: 2)
    #expect(await eventually { harness.queue.machine.purchases[transaction.id]?.phase == .left })
    let state = await harness.store.rules.orders[transaction.id]?.state
    #expect(state == .open)
    await harness.store.change { $0.pay(transaction.id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == transaction.id)
  }

  @Test("QUE-25: a payment of an earlier launch whose page is open goes on; cancel ends it", arguments: [true, false])
  func carriedOver(pays: Bool) async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    let transaction = try await open(harness)
    await harness.store.change { $0.openPage(transaction.id) }
    await harness.restart()
    #expect(await eventually { harness.queue.machine.purchases[transaction.id]?.phase == .left })
    if pays {
      await harness.store.change { $0.pay(transaction.id) }
      let firstID = try await harness.watcher.first(.purchased).id
      #expect(firstID == transaction.id)
    } else {
      harness.queue.cancel(transaction)
      let firstError = try await harness.watcher.first(.failed).error
      #expect(firstError == .cancelled)
    }
  }

  @Test("QUE-15: a window that the user closes is their no")
  func windowClosed() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.closeScreen)
    try harness.add(RuleProducts.coins)
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
    let cancelReason = await harness.store.rules.orders.values.first?.cancelReason
    #expect(cancelReason == .user)
  }
}
