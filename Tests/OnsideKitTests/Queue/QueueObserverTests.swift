import Foundation
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("Observers of the payment queue", .timeLimit(.minutes(5)))
struct QueueObserverTests {
  @Test("QUE-1: without an observer payments and restores are accepted and wait, and one warning is logged")
  func waitsForAnObserver() async throws {
    let harness = try await QueueHarness(observed: false)
    try harness.add(RuleProducts.coins)
    try harness.add(RuleProducts.pro)
    harness.restore()
    await harness.watcher.until { $0.heard.count == 3 }
    #expect(
      Set(harness.watcher.heard) == [
        .completed("coins: success"), .completed("pro: success"), .completed("restore: success"),
      ])
    #expect(harness.queue.transactions.map(\.transactionState) == [.purchasing, .purchasing])
    let log = await harness.store.log
    #expect(log == [])
    #expect(harness.logs.warnings.count == 1)

    harness.queue.add(observer: harness.watcher)
    await harness.watcher.until { watcher in
      watcher.updates.count { $0.transactionState == .purchased } == 2 && watcher.heard.contains(.restoreFinished)
    }
  }

  @Test("API-1: on the main actor, whatever its thread, an observer is removed when the call returns")
  func removedAtOnce() async throws {
    let harness = try await QueueHarness()
    for _ in 0..<20 {
      let observer = Watcher()
      harness.queue.add(observer: observer)
      await Task.detached { await Task.yield() }.value
      harness.queue.remove(observer: observer)
      #expect(!harness.queue.transactionObservers.contains { $0 === observer })
    }
  }

  @Test("QUE-1: the sync stops with the last observer")
  func syncStops() async throws {
    let harness = try await QueueHarness()
    await harness.store.until { _, log in log.contains(.sync) }
    harness.queue.remove(observer: harness.watcher)
    await harness.store.change { _ = $0.sellElsewhere(RuleProducts.pro, to: QueueHarness.alice.accountID) }
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { $0.heard.contains(.completed("coins: success")) }
    #expect(harness.queue.transactions.map(\.payment.product.productIdentifier) == [RuleProducts.coins])
  }

  @Test("QUE-2: observers and the delegate are held weakly, and one added twice counts once")
  func weak() async throws {
    final class Delegate: OnsidePaymentQueueDelegate {}
    let harness = try await QueueHarness()
    harness.queue.add(observer: harness.watcher)
    #expect(harness.queue.transactionObservers.count == 1)
    var other: Watcher? = Watcher()
    var delegate: Delegate? = Delegate()
    weak let weakOther = other
    weak let weakDelegate = delegate
    if let other { harness.queue.add(observer: other) }
    harness.queue.delegate = delegate
    #expect(harness.queue.transactionObservers.count == 2)
    other = nil
    delegate = nil
    #expect(weakOther == nil)
    #expect(weakDelegate == nil)
    #expect(harness.queue.delegate == nil)
    #expect(harness.queue.transactionObservers.count == 1)
    _ = try await harness.buy(RuleProducts.coins)
    #expect(harness.watcher.updates.map(\.transactionState) == [.purchasing, .purchased])
  }

  @Test("QUE-3: a new observer is given every unfinished transaction once, after add(observer:) has returned")
  func replay() async throws {
    let harness = try await QueueHarness()
    let coins = try await harness.buy(RuleProducts.coins)
    let pro = try await harness.buy(RuleProducts.pro)
    let late = Watcher()
    harness.queue.add(observer: late)
    #expect(late.heard.isEmpty)
    await late.until { $0.updates.count >= 2 }
    #expect(late.updates.map(\.id) == [coins.id, pro.id])
    let more = try await harness.buy(RuleProducts.coins)
    #expect(late.updates.map(\.id) == [coins.id, pro.id, more.id, more.id])
  }

  @Test("QUE-3: many transactions come a hundred at a time")
  func replayInBatches() async throws {
    let harness = try await QueueHarness(observed: false)
    await harness.store.change { rules in
      for _ in 0..<250 { rules.sellElsewhere(RuleProducts.coins, to: QueueHarness.alice.accountID) }
    }
    harness.queue.add(observer: harness.watcher)
    await harness.watcher.until { $0.updates.count == 250 }
    let late = Watcher()
    harness.queue.add(observer: late)
    await late.until { $0.updates.count == 250 }
    let sizes = late.heard.map(\.updated.count)
    #expect(sizes == [100, 100, 50])
    #expect(Set(late.updates.map(\.id)).count == 250)
  }

  @Test(
    "QUE-4: callbacks may add, finish, restore and remove observers, in any order",
    arguments: 0..<24)
  func reentrancy(order: Int) async throws {
    let harness = try await QueueHarness()
    let other = Watcher()
    harness.queue.add(observer: other)
    let acts: [@MainActor (any OnsidePaymentQueue, OnsidePaymentTransaction) -> Void] = [
      { queue, transaction in queue.finishTransaction(transaction) },
      { queue, transaction in queue.add(transaction.payment) { _ in harness.watcher.hear(.completed("again")) } },
      { queue, _ in queue.remove(observer: other) },
      { queue, _ in queue.restoreCompletedTransactions { _ in harness.watcher.hear(.completed("restore")) } },
    ]
    var hasActed = false
    harness.watcher.react = { queue, heard in
      guard case .updated(let transactions) = heard, let bought = transactions.first,
        bought.transactionState == .purchased, !hasActed
      else { return }
      hasActed = true
      for act in acts.permutation(order) { act(queue, bought) }
    }
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.watcher.until { watcher in
      watcher.removals.contains { $0.id == bought.id } && watcher.heard.contains(.restoreFinished)
        && watcher.heard.contains(.completed("again")) && watcher.heard.contains(.completed("restore"))
        && watcher.updates.contains { $0.id != bought.id && $0.transactionState == .purchased }
    }
    #expect(harness.watcher.states(of: bought.id) == [.purchasing, .purchased])
    #expect(harness.watcher.heard.count { $0 == .completed("again") } == 1)
    #expect(harness.watcher.heard.count { $0 == .restoreFinished } == 1)
    #expect(harness.watcher.removals.map(\.id) == [bought.id])
  }

  @Test("QUE-4: a logout inside a callback is in order")
  func logoutInside() async throws {
    let harness = try await QueueHarness()
    harness.watcher.react = { _, heard in
      guard case .updated(let transactions) = heard, transactions.first?.transactionState == .purchased else { return }
      harness.account.signOut()
    }
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(harness.watcher.heard.suffix(2) == [.storefront(nil), .removed(harness.watcher.removals)])
    #expect(harness.watcher.removals.map(\.id) == [bought.id])
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-19: a stream of updates delivers a revocation, with its date")
  func revocationInStream() async throws {
    let harness = try await QueueHarness(observed: false)
    let updates = harness.queue.updates
    try harness.add(RuleProducts.coins)
    var heard: [OnsidePaymentTransaction] = []
    for await transaction in updates {
      heard.append(transaction)
      if transaction.revocationDate != nil { break }
      if transaction.transactionState == .purchased { await harness.store.change { $0.refund(transaction.id) } }
    }
    #expect(heard.map(\.transactionState) == [.purchasing, .purchased, .purchased])
    #expect(heard.map(\.revocationDate) == [nil, nil, FakeRules.date])
  }

  @Test("A stream of updates is an observer as long as it is read")
  func stream() async throws {
    let harness = try await QueueHarness(observed: false)
    try harness.add(RuleProducts.coins)
    var states: [OnsidePaymentTransactionState] = []
    for await transaction in harness.queue.updates {
      states.append(transaction.transactionState)
      #expect(!harness.queue.transactionObservers.isEmpty)
      if transaction.transactionState == .purchased { break }
    }
    #expect(states.last == .purchased)
    #expect(harness.queue.transactionObservers.isEmpty)
  }
}

extension Array {
  /// One of the orders in which the elements can stand, by its number.
  fileprivate func permutation(_ number: Int) -> [Element] {
    var rest = self
    var number = number
    return indices.map { index in
      let choice = number % (count - index)
      number /= count - index
      return rest.remove(at: choice)
    }
  }
}
