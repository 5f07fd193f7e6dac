import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("Purchases in local testing", .timeLimit(.minutes(5)))
struct LocalPurchaseTests {
  @Test("LOC-3: login, purchase, finish, restore and logout work with local pages, and nothing leaves 127.0.0.1")
  func wholeWay() async throws {
    let harness = try LocalRig()
    #expect(harness.queue.storefront == nil)
    let coins = try await harness.buy(LocalFile.coins)
    #expect(harness.queue.storefront?.countryCode == "NL")
    #expect(coins.transactionIdentifier == coins.id.uuidString.lowercased() && coins.deliveryReason == .new)
    let adFree = try await harness.buy(LocalFile.adFree)
    await harness.finish(coins)
    await harness.finish(adFree)
    try await harness.queue.restoreCompletedTransactions()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.updates.filter { $0.transactionState == .restored }.map(\.id) == [adFree.id])
    harness.client.logout()
    #expect(harness.queue.storefront == nil && harness.queue.transactions.isEmpty)
    #expect(harness.browser.pages.map(\.screen) == [.login, .payment, .payment])
    #expect(harness.browser.pages.allSatisfy { $0.address.host() == "127.0.0.1" })
    await harness.close()
  }

  @Test("LOC-3: purchases and the login are still there after a restart, until a reset")
  func persistence() async throws {
    let first = try LocalRig(keeping: true)
    let bought = try await first.buy(LocalFile.adFree)
    await first.finish(bought)
    let waiting = try await first.buy(LocalFile.coins)
    let second = try await first.restart()
    #expect(second.queue.storefront?.countryCode == "NL", "ACC-16: the storefront is there at once")
    await second.watcher.until { $0.updates.contains { $0.id == waiting.id } }
    #expect(second.purchased.map(\.deliveryReason) == [.redelivered])
    try await second.queue.restoreCompletedTransactions()
    await second.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(second.watcher.updates.contains { $0.id == bought.id && $0.transactionState == .restored })
    second.store.reset()
    #expect(await eventually { second.queue.storefront == nil })
    let third = try await second.restart()
    #expect(third.store.transactions().isEmpty && third.queue.storefront == nil)
    await third.close()
  }

  @Test("LOC-3: each login name has purchases of its own, and finds them again")
  func accounts() async throws {
    let names = Names(["Alice", "Bob", " Alice "])
    let harness = try LocalRig(
      browser: LocalBrowser { page in
        page.screen == .login ? .press("Log in", ["name": names.next()]) : .press("Buy")
      })
    let alice = try await harness.buy(LocalFile.adFree)
    harness.client.logout()
    let bob = try await harness.buy(LocalFile.adFree)
    #expect(alice.id != bob.id)
    #expect(harness.store.transactions(of: "Alice").map(\.id) == [alice.id])
    #expect(harness.store.transactions(of: "Bob").map(\.id) == [bob.id])
    harness.client.logout()
    try await harness.client.login()
    await harness.watcher.until { $0.updates.last?.id == alice.id }
    await harness.close()
  }

  @Test(
    "ACC-3: a login page that is closed or cancelled discards the call, and nothing is enqueued",
    arguments: [true, false])
  func dismissedLogin(closes: Bool) async throws {
    let harness = try LocalRig(browser: LocalBrowser { _ in closes ? .close : .press("Cancel") })
    await #expect(throws: OnsidePaymentQueueAddProductError.loginDiscarded) { try await harness.add(LocalFile.coins) }
    #expect(harness.queue.transactions.isEmpty && harness.store.transactions().isEmpty)
    await harness.close()
  }

  @Test("QUE-15: a payment page that is closed or cancelled fails with .cancelled", arguments: [true, false])
  func dismissedPayment(closes: Bool) async throws {
    let harness = try LocalRig(
      browser: LocalBrowser { $0.screen == .login ? .press("Log in") : closes ? .close : .press("Cancel") })
    try await harness.add(LocalFile.coins)
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
    #expect(harness.store.transactions().map(\.state) == [.cancelled])
    await harness.close()
  }

  @Test("QUE-8: a purchase whose page was open when the process ended comes back as cancelled")
  func killedWhilePaying() async throws {
    let first = try LocalRig(
      keeping: true, browser: LocalBrowser { $0.screen == .login ? .press("Log in") : .stay })
    try await first.add(LocalFile.coins)
    #expect(await eventually { !first.browser.pages(of: .payment).isEmpty })
    let second = try await first.restart()
    let firstError = try await second.watcher.first(.failed).error
    #expect(firstError == .cancelled)
    #expect(second.browser.pages.isEmpty)
    await second.close()
  }

  @Test("QUE-10: what is owned is not bought twice, and nothing is charged for it")
  func owned() async throws {
    let harness = try LocalRig()
    let first = try await harness.buy(LocalFile.adFree)
    await harness.finish(first)
    let again = try await harness.buy(LocalFile.adFree)
    #expect(again.transactionIdentifier == first.transactionIdentifier)
    #expect(harness.browser.pages(of: .payment).count == 1)
    await harness.close()
  }

  @Test("QUE-16, QUE-19: a purchase and a refund elsewhere reach a running app")
  func elsewhere() async throws {
    let harness = try LocalRig()
    try await harness.client.login()
    let id = try #require(harness.store.buy(LocalFile.adFree))
    let arrived = try await harness.watcher.first(.purchased)
    #expect(arrived.id == id && arrived.deliveryReason == .elsewhere)
    #expect(harness.store.refund(id))
    await harness.watcher.until { $0.revocations.map(\.id) == [id] }
    #expect(harness.store.transactions().map(\.state) == [.refunded])
    #expect(!harness.store.refund(id))
    #expect(harness.store.buy("nothing") == nil)
    await harness.close()
  }

  @Test("QUE-19: a device that comes later gets no revocation of a purchase that another device has delivered")
  func refundBefore() async throws {
    let one = try LocalRig()
    let (coins, adFree) = (try await one.buy(LocalFile.coins), try await one.buy(LocalFile.adFree))
    for transaction in [coins, adFree] { await one.finish(transaction) }
    let again = try await one.buy(LocalFile.adFree)
    #expect(one.store.refund(adFree.id))
    await one.watcher.until { $0.revocations.map(\.id) == [adFree.id] && $0.removals.map(\.id).contains(again.id) }
    let two = try LocalRig(sharing: one.store)
    try await two.client.login()
    let later = try await two.buy(LocalFile.coins)
    #expect(two.watcher.revocations.isEmpty)
    #expect(two.watcher.updates.allSatisfy { $0.id == later.id })
    await two.client.close()
    await one.close()
  }

  @Test("QUE-13: what one device has finished is not given to another one of the account")
  func twoDevices() async throws {
    let one = try LocalRig()
    let bought = try await one.buy(LocalFile.coins)
    let two = try LocalRig(sharing: one.store)
    try await two.client.login()
    await two.watcher.until { $0.updates.map(\.id) == [bought.id] }
    await one.finish(bought)
    await two.watcher.until { $0.removals.map(\.id) == [bought.id] }
    #expect(two.queue.transactions.isEmpty)
    let three = try LocalRig(sharing: one.store)
    let other = try await three.buy(LocalFile.adFree)
    #expect(Set(three.watcher.updates.map(\.id)) == [other.id], "a device that comes later is not given it either")
    #expect(two.purchased.count { $0.id == bought.id } == 1)
    await three.client.close()
    await two.client.close()
    await one.close()
  }

  @Test("GAT-1, GAT-4, ACC-17: a move to another region changes the storefront, and later payments run there")
  func move() async throws {
    let harness = try LocalRig()
    try await harness.client.login()
    let payment = OnsidePayment(product: try await harness.product(LocalFile.coins))
    harness.store.storefront = .unitedStates
    await harness.watcher.until { $0.heard.contains(.storefront("US")) }
    try await harness.queue.add(payment)
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.storefront.countryCode == "US" && bought.payment.product.price.currencyCode == "USD")
    await harness.close()
  }

  @Test("LOC-4: two stores of one file in one process do not see each other")
  func independent() async throws {
    let (one, two) = (try LocalRig(), try LocalRig())
    let bought = try await one.buy(LocalFile.adFree)
    try await two.client.login()
    try await two.queue.restoreCompletedTransactions()
    await two.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(two.watcher.updates.isEmpty && two.store.transactions().isEmpty)
    #expect(one.store.transactions().map(\.id) == [bought.id])
    await one.close()
    await two.close()
  }

  @Test("LOC-4: ids and dates are those of the store's own randomness and clock")
  func reproducible() async throws {
    func run() async throws -> [String] {
      let world = ClientHarness()
      let store = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies())
      for product in [LocalFile.coins, LocalFile.yearly] { store.buy(product) }
      let bought = store.transactions().map { "\($0.id) \($0.expirationDate as Date?)" }
      await store.close()
      return bought
    }
    let (first, second) = (try await run(), try await run())
    #expect(first == second && Set(first).count == 2)
  }

  @Test("A second store on the same folder keeps nothing, and says so")
  func locked() async throws {
    let first = try LocalRig(keeping: true)
    _ = first.store.transactions()
    let second = LocalStore(
      try LocalFile.configuration(), dependencies: first.world.dependencies(), keepsPurchases: true)
    second.buy(LocalFile.adFree)
    #expect(first.world.log.lines(.warning).contains { $0.contains("storage folder of its own") })
    await second.close()
    await first.close()
    let third = try LocalRig(world: first.world, keeping: true)
    #expect(third.store.transactions().isEmpty)
    await third.close()
  }
}
