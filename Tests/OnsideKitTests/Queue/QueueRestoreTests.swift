import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Restoring", .timeLimit(.minutes(5)))
struct QueueRestoreTests {
  @Test("RST-1: non-consumables and subscriptions come as .restored, consumables do not")
  func kinds() async throws {
    let rig = try await Rig()
    let pro = try await rig.buy(Goods.pro)
    let coins = try await rig.buy(Goods.coins)
    for transaction in [pro, coins] { await rig.finish(transaction) }
    let renewal = await rig.store.change {
      $0.sellElsewhere(Goods.club, to: Rig.alice.accountID, renewalOf: Rig.uuid(8))
    }
    await rig.watcher.until { $0.updates.contains { $0.id == renewal } }
    await rig.finish(try #require(rig.watcher.updates.last))
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    let restored = rig.watcher.updates.filter { $0.transactionState == .restored }
    #expect(Set(restored.map(\.id)) == [pro.id, renewal])
    let originals = Dictionary(uniqueKeysWithValues: restored.map { ($0.id, $0.originalTransactionIdentifier) })
    #expect(originals[pro.id] == pro.transactionIdentifier)
    #expect(originals[renewal] == OrderID(Rig.uuid(8)).description)
  }

  @Test("RST-2: the completion comes first, then the transactions, then exactly one end")
  func sequence() async throws {
    let rig = try await Rig()
    await rig.finish(try await rig.buy(Goods.pro))
    rig.watcher.forget()
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.heard.count == 3)
    #expect(rig.watcher.heard.first == .completed("restore: success"))
    #expect(rig.watcher.heard.last == .restoreFinished)
    #expect(rig.watcher.updates.map(\.transactionState) == [.restored])
  }

  @Test("RST-2: a logout ends a restore with exactly one failure")
  func logout() async throws {
    let rig = try await Rig()
    await rig.store.disturb(.restorable, .hang)
    rig.restore()
    await rig.store.until { _, log in log.contains(.restorable) }
    rig.account.signOut()
    await rig.watcher.until { $0.heard.contains(.restoreFailed(.cancelled)) }
    await rig.account.signIn(Rig.alice)
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.heard.count { $0 == .restoreFailed(.cancelled) } == 1)
  }

  @Test("RST-3: a second restore joins the first; a later one delivers again, and finishing again is fine")
  func joins() async throws {
    let rig = try await Rig()
    let pro = try await rig.buy(Goods.pro)
    await rig.finish(pro)
    rig.restore()
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.heard.count { $0 == .completed("restore: success") } == 2)
    #expect(await rig.store.count(of: .restorable) == 1)
    #expect(rig.watcher.states(of: pro.id).count { $0 == .restored } == 1)

    let restored = try #require(rig.queue.transactions.first)
    rig.queue.finishTransaction(restored)
    await rig.watcher.until { $0.removals.count == 2 }
    rig.watcher.forget()
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.states(of: pro.id) == [.restored])
    rig.queue.finishTransaction(try #require(rig.queue.transactions.first))
    await rig.watcher.until { $0.removals.count == 1 }
  }

  @Test("RST-3: restored and unfinished transactions survive a restart")
  func survives() async throws {
    let rig = try await Rig()
    let pro = try await rig.buy(Goods.pro)
    await rig.finish(pro)
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    await rig.restart()
    #expect(try await rig.watcher.first(.restored).id == pro.id)
  }

  @Test("RST-3: an unfinished purchase keeps its final state and is given again")
  func unfinished() async throws {
    let rig = try await Rig()
    let pro = try await rig.buy(Goods.pro)
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.states(of: pro.id) == [.purchasing, .purchased, .purchased])
    #expect(rig.watcher.updates.last?.deliveryReason == .redelivered)
  }

  @Test("RST-4: nothing to restore finishes without transactions")
  func nothing() async throws {
    let rig = try await Rig()
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(rig.watcher.heard == [.completed("restore: success"), .restoreFinished])
  }

  @Test(
    "RST-4: faults have their own errors",
    arguments: [
      (StoreError.connection, OnsideTransactionsRestoreError.connectionError),
      (.notTheStore("a portal"), .connectionError), (.appNotRegistered, .appNotRegistered),
      (.serviceUnavailable, .serviceUnavailable),
      (.internalError("unreadable"), .internalError),
    ])
  func faults(error: StoreError, published: OnsideTransactionsRestoreError) async throws {
    let rig = try await Rig()
    await rig.store.disturb(.restorable, .fail(error))
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFailed(published)) }
    #expect(rig.watcher.heard == [.completed("restore: success"), .restoreFailed(published)])
  }
}
