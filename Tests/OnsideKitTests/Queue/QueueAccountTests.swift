import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("The payment queue and the account", .timeLimit(.minutes(5)))
struct QueueAccountTests {
  @Test("QUE-14: a logout takes unfinished transactions away, and the account's next login brings them back")
  func logout() async throws {
    let harness = try await QueueHarness()
    let coins = try await harness.buy(RuleProducts.coins)
    let pro = try await harness.buy(RuleProducts.pro)
    harness.account.signOut()
    #expect(harness.queue.transactions.isEmpty)
    #expect(harness.watcher.removals.map(\.id) == [coins.id, pro.id])
    #expect(harness.watcher.heard.contains(.storefront(nil)))
    #expect(harness.files.count == 2)

    await harness.account.signIn(QueueHarness.bob)
    let bobs = try await harness.buy(RuleProducts.coins)
    #expect(harness.queue.transactions.map(\.id) == [bobs.id])

    harness.watcher.forget()
    await harness.account.signIn(QueueHarness.alice)
    await harness.watcher.until { $0.updates.count == 2 }
    // The store is asked first whether the consumable may be delivered here.
    #expect(harness.watcher.updates.map(\.id) == [pro.id, coins.id])
    #expect(
      harness.watcher.updates.allSatisfy { $0.deliveryReason == .redelivered && $0.transactionState == .purchased })
    #expect(harness.watcher.removals.map(\.id) == [bobs.id])
  }

  @Test("QUE-14: they come back after a restart, too, and only for their account")
  func logoutAndRestart() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    harness.account.signOut()
    await harness.restart()
    await harness.account.signIn(QueueHarness.bob)
    let bobs = try await harness.buy(RuleProducts.coins)
    #expect(harness.queue.transactions.map(\.id) == [bobs.id])
    await harness.account.signIn(QueueHarness.alice)
    await harness.watcher.until { $0.updates.contains { $0.id == bought.id } }
    #expect(harness.queue.transactions.map(\.id) == [bought.id])
  }

  @Test("QUE-14: a logout closes the payment screen, and the payment is asked about at the next login")
  func logoutWhilePaying() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    harness.account.signOut()
    await harness.store.change { $0.pay(id) }
    await harness.account.signIn(QueueHarness.alice)
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.id == id)
    let openScreens = await harness.store.openScreens
    #expect(openScreens == 0)
    let presentCount = await harness.store.count(of: .present)
    #expect(presentCount == 1)
  }

  @Test("ACC-3: a dismissed login discards every call that waited for it, and nothing is enqueued")
  func dismissedLogin() async throws {
    let harness = try await QueueHarness(signedIn: nil)
    try harness.add(RuleProducts.coins)
    harness.restore()
    await harness.watcher.until { $0.heard.count == 2 }
    #expect(Set(harness.watcher.heard) == [.completed("coins: loginDiscarded"), .completed("restore: loginDiscarded")])
    #expect(harness.queue.transactions.isEmpty)
    #expect(harness.files.isEmpty)
    #expect(await harness.store.log.isEmpty)
  }

  @Test("ACC-4: after a login the storefront is there, then observers hear of it, then completions succeed")
  func loginOrder() async throws {
    let harness = try await QueueHarness(signedIn: nil)
    harness.account.nextLogin = QueueHarness.alice
    #expect(harness.queue.storefront == nil)
    try harness.add(RuleProducts.coins)
    harness.restore()
    await harness.watcher.until {
      $0.heard.contains(.completed("coins: success")) && $0.heard.contains(.restoreFinished)
    }
    #expect(harness.watcher.heard.first == .storefront("NL"))
    #expect(harness.watcher.heard.count { $0 == .storefront("NL") } == 1)
    #expect(harness.queue.storefront?.countryCode == "NL")
  }

  @Test("ACC-5: adding a payment and restoring log in on demand and go on afterwards; the sync never does")
  func onDemand() async throws {
    let harness = try await QueueHarness(signedIn: nil)
    harness.account.nextLogin = QueueHarness.alice
    _ = try await harness.buy(RuleProducts.coins)
    #expect(harness.account.logins == 1)
    harness.account.signOut()
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.account.logins == 2)
    harness.account.signOut()
    await harness.restart()
    harness.account.nextLogin = nil
    try harness.add(RuleProducts.pro)
    await harness.watcher.until { $0.heard.contains(.completed("pro: loginDiscarded")) }
    #expect(harness.account.logins == 3, "one for each call, none for the sync")
  }

  @Test("ACC-14: the sync tells the account of a refused session, and of nothing else")
  func sessionEnded() async throws {
    let harness = try await QueueHarness()
    await harness.store.disturb(
      .sync, with: .fail(.connection), .fail(.serviceUnavailable), .fail(.internalError("odd")))
    await harness.store.until { _, log in log.count { $0 == .sync } >= 4 }
    #expect(harness.queue.storefront != nil)
    await harness.store.disturb(.sync, with: .fail(.notSignedIn))
    await harness.watcher.until { $0.heard.contains(.storefront(nil)) }
    #expect(harness.queue.storefront == nil)
  }

  @Test("ACC-17: a changed region changes the storefront within one sync")
  func regionChanges() async throws {
    let harness = try await QueueHarness()
    await harness.store.until { _, log in log.contains(.sync) }
    await harness.store.change { $0.move(QueueHarness.alice.accountID, to: .unitedStates) }
    await harness.watcher.until { $0.heard.contains(.storefront("US")) }
    #expect(harness.queue.storefront?.countryCode == "US")
  }
}
