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
    let harness = try await QueueHarness()
    let pro = try await harness.buy(RuleProducts.pro)
    let coins = try await harness.buy(RuleProducts.coins)
    for transaction in [pro, coins] { await harness.finish(transaction) }
    let renewal = await harness.store.change {
      $0.sellElsewhere(RuleProducts.club, to: QueueHarness.alice.accountID, renewalOf: QueueHarness.uuid(8))
    }
    await harness.watcher.until { $0.updates.contains { $0.id == renewal } }
    await harness.finish(try #require(harness.watcher.updates.last))
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    let restored = harness.watcher.updates.filter { $0.transactionState == .restored }
    #expect(Set(restored.map(\.id)) == [pro.id, renewal])
    let originals = Dictionary(uniqueKeysWithValues: restored.map { ($0.id, $0.originalTransactionIdentifier) })
    #expect(originals[pro.id] == pro.transactionIdentifier)
    #expect(originals[renewal] == OrderID(QueueHarness.uuid(8)).description)
  }

  @Test("RST-2: the completion comes first, then the transactions, then exactly one end")
  func sequence() async throws {
    let harness = try await QueueHarness()
    await harness.finish(try await harness.buy(RuleProducts.pro))
    harness.watcher.forget()
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.heard.count == 3)
    #expect(harness.watcher.heard.first == .completed("restore: success"))
    #expect(harness.watcher.heard.last == .restoreFinished)
    #expect(harness.watcher.updates.map(\.transactionState) == [.restored])
  }

  @Test("RST-2: a logout ends a restore with exactly one failure")
  func logout() async throws {
    let harness = try await QueueHarness()
    await harness.store.disturb(.restorable, with: .hang)
    harness.restore()
    await harness.store.until { _, log in log.contains(.restorable) }
    harness.account.signOut()
    await harness.watcher.until { $0.heard.contains(.restoreFailed(.cancelled)) }
    await harness.account.signIn(QueueHarness.alice)
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.heard.count { $0 == .restoreFailed(.cancelled) } == 1)
  }

  @Test("RST-3: a second restore joins the first; a later one delivers again, and finishing again is fine")
  func joins() async throws {
    let harness = try await QueueHarness()
    let pro = try await harness.buy(RuleProducts.pro)
    await harness.finish(pro)
    harness.restore()
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.heard.count { $0 == .completed("restore: success") } == 2)
    let restorableCount = await harness.store.count(of: .restorable)
    #expect(restorableCount == 1)
    #expect(harness.watcher.states(of: pro.id).count { $0 == .restored } == 1)

    let restored = try #require(harness.queue.transactions.first)
    harness.queue.finishTransaction(restored)
    await harness.watcher.until { $0.removals.count == 2 }
    harness.watcher.forget()
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.states(of: pro.id) == [.restored])
    harness.queue.finishTransaction(try #require(harness.queue.transactions.first))
    await harness.watcher.until { $0.removals.count == 1 }
  }

  @Test("RST-3: a restore right after a finish returns the purchase")
  func rightAfterFinish() async throws {
    let harness = try await QueueHarness()
    let pro = try await harness.buy(RuleProducts.pro)
    harness.queue.finishTransaction(pro)
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.states(of: pro.id) == [.purchasing, .purchased, .restored])
    #expect(harness.watcher.removals.map(\.id) == [pro.id])
  }

  @Test("RST-3: restored and unfinished transactions survive a restart")
  func survives() async throws {
    let harness = try await QueueHarness()
    let pro = try await harness.buy(RuleProducts.pro)
    await harness.finish(pro)
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    await harness.restart()
    let firstID = try await harness.watcher.first(.restored).id
    #expect(firstID == pro.id)
  }

  @Test("RST-3: an unfinished purchase keeps its final state and is given again")
  func unfinished() async throws {
    let harness = try await QueueHarness()
    let pro = try await harness.buy(RuleProducts.pro)
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.states(of: pro.id) == [.purchasing, .purchased, .purchased])
    #expect(harness.watcher.updates.last?.deliveryReason == .redelivered)
  }

  @Test("RST-4: nothing to restore finishes without transactions")
  func nothing() async throws {
    let harness = try await QueueHarness()
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.heard == [.completed("restore: success"), .restoreFinished])
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
    let harness = try await QueueHarness()
    await harness.store.disturb(.restorable, with: .fail(error))
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFailed(published)) }
    #expect(harness.watcher.heard == [.completed("restore: success"), .restoreFailed(published)])
  }
}
