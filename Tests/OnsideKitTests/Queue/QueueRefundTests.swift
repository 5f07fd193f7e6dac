import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Refunds", .timeLimit(.minutes(5)))
struct QueueRefundTests {
  /// Waits until one more sync has passed: it brings a marker purchase, which observers get after everything earlier.
  private func pass(_ harness: QueueHarness) async {
    let marker = await harness.store.change { $0.sellElsewhere(RuleProducts.club, to: QueueHarness.alice.accountID) }
    await harness.watcher.until { $0.updates.contains { $0.id == marker } }
  }

  /// Starts again without the place that the sync had come to.
  private func restartWithoutCursor(_ harness: QueueHarness) async throws {
    await harness.queue.close()
    let cursors = try FileManager.default.contentsOfDirectory(atPath: harness.folder.path).filter {
      $0.hasPrefix("cursor-")
    }
    #expect(!cursors.isEmpty)
    for name in cursors { try FileManager.default.removeItem(at: harness.folder.appendingPathComponent(name)) }
    await harness.restart()
  }

  @Test(
    "QUE-19: what was paid and refunded while the app was not running is removed, and told neither as purchased nor as revoked"
  )
  func refundedWhileOff() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.queue.close()
    await harness.store.change {
      $0.pay(id)
      $0.refund(id)
    }
    await harness.restart()
    await harness.watcher.until { $0.removals.map(\.id) == [id] }
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
    #expect(!harness.watcher.states(of: id).contains(.purchased))
    #expect(!harness.queue.transactions.contains { $0.id == id })
    harness.restore()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(!harness.watcher.states(of: id).contains(.restored))
  }

  @Test("QUE-19: a refund while the payment screen is open closes it, and the app gets neither purchase nor revocation")
  func refundedWhilePresenting() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change {
      $0.pay(id)
      $0.refund(id)
    }
    await harness.watcher.until { $0.removals.map(\.id) == [id] }
    #expect(harness.watcher.states(of: id) == [.purchasing])
    #expect(harness.watcher.revocations.isEmpty && harness.queue.transactions.isEmpty)
    let transactionState = try await harness.buy(RuleProducts.pro).transactionState
    #expect(transactionState == .purchased)
  }

  @Test("QUE-19: a refund of an unfinished purchase removes it, and does not tell it as purchased again")
  func unfinished() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    harness.watcher.forget()
    await harness.store.change { $0.refund(bought.id) }
    await harness.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    #expect(harness.watcher.updates.isEmpty)
    #expect(harness.watcher.removals.map(\.id) == [bought.id])
    #expect(harness.watcher.revocations.map(\.revocationDate) == [FakeRules.date])
    #expect(harness.queue.transactions.isEmpty)
    let late = Watcher()
    harness.queue.add(observer: late)
    await pass(harness)
    #expect(!late.updates.contains { $0.id == bought.id })
  }

  @Test("QUE-19: a refund is told once: not again when the app finishes, when the order changes, or after restarts")
  func once() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.change { $0.refund(bought.id) }
    await harness.watcher.until { $0.revocations.count == 1 }
    harness.queue.finishTransaction(bought)
    // Another device of the account finishes it.
    try await harness.store.change { try $0.finish(bought.id, of: QueueHarness.alice.accountID) }
    await pass(harness)
    #expect(harness.watcher.revocations.count == 1)
    await harness.restart()
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
    try await restartWithoutCursor(harness)
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
    #expect(!harness.watcher.updates.contains { $0.id == bought.id })
  }

  @Test("QUE-19: a refund that comes while a finish is on its way to the store is told once")
  func whileFinishing() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.pro)
    await harness.store.disturb(.finish, with: .hang)
    harness.queue.finishTransaction(bought)
    await harness.store.until { _, log in log.contains(.finish) }
    await harness.store.change { $0.refund(bought.id) }
    await harness.watcher.until { $0.revocations.count == 1 }
    await harness.restart()
    await harness.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    await pass(harness)
    try await restartWithoutCursor(harness)
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
  }

  @Test("QUE-20: a refund of a finished purchase is told though the device has lost its place, once")
  func withoutCursor() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.finish(bought)
    await harness.queue.close()
    await harness.store.change { $0.refund(bought.id) }
    try await restartWithoutCursor(harness)
    await harness.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    try await restartWithoutCursor(harness)
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
  }

  @Test("QUE-19: a revocation is not delivered to a device on which the app has not delivered the purchase")
  func deliveredElsewhere() async throws {
    let harness = try await QueueHarness()
    try await harness.store.change {
      let id = $0.sellElsewhere(RuleProducts.pro, to: QueueHarness.alice.accountID)
      try $0.finish(id, of: QueueHarness.alice.accountID, on: "tablet")
      $0.refund(id)
    }
    await pass(harness)
    try await restartWithoutCursor(harness)
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
  }

  @Test("QUE-19: a purchase that the app has delivered, and another device has finished, is revoked here, too, once")
  func deliveredHereFinishedElsewhere() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.pro)
    try await harness.store.change { try $0.finish(bought.id, of: QueueHarness.alice.accountID, on: "tablet") }
    await harness.watcher.until { $0.removals.map(\.id) == [bought.id] }
    await harness.store.until { rules, _ in rules.finishes(of: bought.id) == ["tablet", ""] }
    try await restartWithoutCursor(harness)
    await harness.store.change { $0.refund(bought.id) }
    await harness.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    try await restartWithoutCursor(harness)
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
  }

  @Test("QUE-19: the refund of a purchase that was added twice is told once, and takes both away")
  func duplicate() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.pro)
    await harness.finish(bought)
    let again = try await harness.buy(RuleProducts.pro)
    #expect(again.transactionIdentifier == bought.transactionIdentifier)
    await harness.store.change { $0.refund(bought.id) }
    await harness.watcher.until { $0.revocations.map(\.id) == [bought.id] && $0.removals.map(\.id).contains(again.id) }
    #expect(harness.queue.transactions.isEmpty)
    await harness.restart()
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
    #expect(!harness.watcher.updates.contains { $0.id == again.id })
  }

  @Test("QUE-19: a refund that the disk does not take is told when it does, once")
  func diskFull() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.finish(bought)
    await pass(harness)
    // A folder where the file is to be written first.
    let obstacle = harness.transactions.appendingPathComponent("\(OrderID(bought.id)).json.tmp")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
    await harness.store.change { $0.refund(bought.id) }
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
    try FileManager.default.removeItem(at: obstacle)
    await harness.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    // The failed write has cost the cursor.
    await harness.restart()
    await pass(harness)
    #expect(harness.watcher.revocations.isEmpty)
  }

  @Test("QUE-8, QUE-20: a store that starts over by itself has payments on their way asked about")
  func restoredStore() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.check) }
    let id = try #require(harness.queue.transactions.first?.id)
    try await harness.store.change {
      $0.pay(id)
      try $0.finish(id, of: QueueHarness.alice.accountID)
      $0.restoreBackup()
    }
    await harness.watcher.until { $0.removals.map(\.id) == [id] }
    #expect(harness.watcher.states(of: id) == [.purchasing])
  }
}
