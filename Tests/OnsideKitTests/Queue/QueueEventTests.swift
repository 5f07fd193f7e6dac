import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("The queue's events", .timeLimit(.minutes(5)))
struct QueueEventTests {
  @Test("QUE-28: a stream begins with the unfinished transactions, and has what an observer is told, in order")
  func likeAnObserver() async throws {
    let harness = try await QueueHarness()
    let coins = try await harness.buy(RuleProducts.coins)
    let events = harness.queue.events
    let watcher = Watcher()
    harness.queue.add(observer: watcher)
    // Each is given the backlog in a turn of its own.
    await watcher.until { !$0.updates.isEmpty }
    let pro = try await harness.buy(RuleProducts.pro)
    await harness.finish(coins)
    await harness.store.change { $0.refund(pro.id) }
    await watcher.until { !$0.revocations.isEmpty }
    harness.restore()
    await watcher.until { $0.heard.contains(.restoreFinished) }
    harness.account.signOut()

    let heard = await events.collected(watcher.heard.count)
    #expect(heard == watcher.heard.map { OnsidePaymentQueueEvent($0) })
    #expect(heard.first?.transactions.map(\.id) == [coins.id])
    #expect(Set(heard.map(\.kind)) == [.updated, .removed, .revoked, .restoreFinished, .storefrontChanged])
  }

  @Test("QUE-28: each stream gets every event")
  func severalStreams() async throws {
    let harness = try await QueueHarness()
    let streams = [harness.queue.events, harness.queue.events]
    let bought = try await harness.buy(RuleProducts.coins)
    for stream in streams {
      let ids = await stream.collected(2).flatMap(\.transactions).map(\.id)
      #expect(ids == [bought.id, bought.id])
    }
  }

  @Test("QUE-28: a failed restore has its error")
  func failedRestore() async throws {
    let harness = try await QueueHarness()
    let events = harness.queue.events
    await harness.store.disturb(.restorable, with: .fail(.appNotRegistered))
    harness.restore()
    let collected = await events.collected(1)
    #expect(collected == [OnsidePaymentQueueEvent(.restoreFailed, restoreError: .appNotRegistered)])
  }

  @Test("QUE-28: a stream is an observer of the queue until it is released or its reader is cancelled")
  func lifetime() async throws {
    let harness = try await QueueHarness(observed: false)
    do {
      let events = harness.queue.events
      #expect(harness.queue.transactionObservers.count == 1)
      _ = events
    }
    #expect(harness.queue.transactionObservers.isEmpty)
    let task = Task { for await _ in harness.queue.events {} }
    #expect(await eventually { !harness.queue.transactionObservers.isEmpty })
    task.cancel()
    await task.value
    #expect(harness.queue.transactionObservers.isEmpty)
  }
}

extension AsyncStream where Element == OnsidePaymentQueueEvent {
  /// The first events.
  @MainActor
  fileprivate func collected(_ count: Int) async -> [Element] {
    var events: [Element] = []
    for await event in self {
      events.append(event)
      if events.count == count { break }
    }
    return events
  }
}

extension OnsidePaymentQueueEvent {
  @MainActor
  fileprivate init(_ heard: Watcher.Heard) {
    switch heard {
    case .updated(let transactions): self.init(.updated, transactions: transactions)
    case .removed(let transactions): self.init(.removed, transactions: transactions)
    case .revoked(let transactions): self.init(.revoked, transactions: transactions)
    case .restoreFinished: self.init(Kind.restoreFinished)
    case .restoreFailed(let error): self.init(.restoreFailed, restoreError: error)
    case .storefront(let country):
      self.init(.storefrontChanged, storefront: country.map { OnsideStorefront(id: "", countryCode: $0) })
    case .completed: self.init(OnsidePaymentQueueEvent.Kind(rawValue: "completed"))
    }
  }
}
