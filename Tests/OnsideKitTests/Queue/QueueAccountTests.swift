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
    let rig = try await Rig()
    let coins = try await rig.buy(Goods.coins)
    let pro = try await rig.buy(Goods.pro)
    rig.account.signOut()
    #expect(rig.queue.transactions.isEmpty)
    #expect(rig.watcher.removals.map(\.id) == [coins.id, pro.id])
    #expect(rig.watcher.heard.contains(.storefront(nil)))
    #expect(rig.files.count == 2)

    await rig.account.signIn(Rig.bob)
    let bobs = try await rig.buy(Goods.coins)
    #expect(rig.queue.transactions.map(\.id) == [bobs.id])

    rig.watcher.forget()
    await rig.account.signIn(Rig.alice)
    await rig.watcher.until { $0.updates.count == 2 }
    #expect(rig.watcher.updates.map(\.id) == [coins.id, pro.id])
    #expect(rig.watcher.updates.allSatisfy { $0.deliveryReason == .redelivered && $0.transactionState == .purchased })
    #expect(rig.watcher.removals.map(\.id) == [bobs.id])
  }

  @Test("QUE-14: they come back after a restart, too, and only for their account")
  func logoutAndRestart() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    rig.account.signOut()
    await rig.restart()
    await rig.account.signIn(Rig.bob)
    let bobs = try await rig.buy(Goods.coins)
    #expect(rig.queue.transactions.map(\.id) == [bobs.id])
    await rig.account.signIn(Rig.alice)
    await rig.watcher.until { $0.updates.contains { $0.id == bought.id } }
    #expect(rig.queue.transactions.map(\.id) == [bought.id])
  }

  @Test("QUE-14: a logout closes the payment screen, and the payment is asked about at the next login")
  func logoutWhilePaying() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.present) }
    let id = try #require(rig.queue.transactions.first?.id)
    rig.account.signOut()
    await rig.store.change { $0.pay(id) }
    await rig.account.signIn(Rig.alice)
    let bought = try await rig.watcher.first(.purchased)
    #expect(bought.id == id)
    #expect(await rig.store.openScreens == 0)
    #expect(await rig.store.count(of: .present) == 1)
  }

  @Test("ACC-3: a dismissed login discards every call that waited for it, and nothing is enqueued")
  func dismissedLogin() async throws {
    let rig = try await Rig(signedIn: nil)
    try rig.add(Goods.coins)
    rig.restore()
    await rig.watcher.until { $0.heard.count == 2 }
    #expect(Set(rig.watcher.heard) == [.completed("coins: loginDiscarded"), .completed("restore: loginDiscarded")])
    #expect(rig.queue.transactions.isEmpty)
    #expect(rig.files.isEmpty)
    #expect(await rig.store.log.isEmpty)
  }

  @Test("ACC-4: after a login the storefront is there, then observers hear of it, then completions succeed")
  func loginOrder() async throws {
    let rig = try await Rig(signedIn: nil)
    rig.account.nextLogin = Rig.alice
    #expect(rig.queue.storefront == nil)
    try rig.add(Goods.coins)
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.completed("coins: success")) && $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.heard.first == .storefront("NL"))
    #expect(rig.watcher.heard.count { $0 == .storefront("NL") } == 1)
    #expect(rig.queue.storefront?.countryCode == "NL")
  }

  @Test("ACC-5: adding a payment and restoring log in on demand and go on afterwards; the sync never does")
  func onDemand() async throws {
    let rig = try await Rig(signedIn: nil)
    rig.account.nextLogin = Rig.alice
    _ = try await rig.buy(Goods.coins)
    #expect(rig.account.logins == 1)
    rig.account.signOut()
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.account.logins == 2)
    rig.account.signOut()
    await rig.restart()
    #expect(rig.account.logins == 2)
  }

  @Test("ACC-14: the sync tells the account of a refused session, and of nothing else")
  func sessionEnded() async throws {
    let rig = try await Rig()
    await rig.store.disturb(.sync, .fail(.connection), .fail(.serviceUnavailable), .fail(.internalError("odd")))
    await rig.store.until { _, log in log.count { $0 == .sync } >= 4 }
    #expect(rig.queue.storefront != nil)
    await rig.store.disturb(.sync, .fail(.notSignedIn))
    await rig.watcher.until { $0.heard.contains(.storefront(nil)) }
    #expect(rig.queue.storefront == nil)
  }

  @Test("ACC-17: a changed region changes the storefront within one sync")
  func regionChanges() async throws {
    let rig = try await Rig()
    await rig.store.until { _, log in log.contains(.sync) }
    await rig.store.change { $0.move(Rig.alice.accountID, to: .unitedStates) }
    await rig.watcher.until { $0.heard.contains(.storefront("US")) }
    #expect(rig.queue.storefront?.countryCode == "US")
  }
}
