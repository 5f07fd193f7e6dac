import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Refunds", .timeLimit(.minutes(5)))
struct QueueRefundTests {
  /// Waits until one more sync has passed: it brings a marker purchase, which observers get after everything earlier.
  private func pass(_ rig: Rig) async {
    let marker = await rig.store.change { $0.sellElsewhere(Goods.club, to: Rig.alice.accountID) }
    await rig.watcher.until { $0.updates.contains { $0.id == marker } }
  }

  /// Starts again without the place that the sync had come to.
  private func restartWithoutCursor(_ rig: Rig) async throws {
    await rig.queue.close()
    let cursors = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path).filter {
      $0.hasPrefix("cursor-")
    }
    #expect(!cursors.isEmpty)
    for name in cursors { try FileManager.default.removeItem(at: rig.folder.appendingPathComponent(name)) }
    await rig.restart()
  }

  @Test("QUE-19: what was paid and refunded while the app was not running is removed, and never told as purchased")
  func refundedWhileOff() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.present) }
    let id = try #require(rig.queue.transactions.first?.id)
    await rig.queue.close()
    await rig.store.change {
      $0.pay(id)
      $0.refund(id)
    }
    await rig.restart()
    await rig.watcher.until { $0.revocations.map(\.id) == [id] }
    #expect(rig.watcher.removals.map(\.id) == [id])
    await pass(rig)
    #expect(!rig.watcher.states(of: id).contains(.purchased))
    #expect(!rig.queue.transactions.contains { $0.id == id })
    rig.restore()
    await rig.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(!rig.watcher.states(of: id).contains(.restored))
  }

  @Test("QUE-19: a refund while the payment screen is open closes it and is never told as purchased")
  func refundedWhilePresenting() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.present) }
    let id = try #require(rig.queue.transactions.first?.id)
    await rig.store.change {
      $0.pay(id)
      $0.refund(id)
    }
    await rig.watcher.until { $0.revocations.map(\.id) == [id] }
    #expect(rig.watcher.states(of: id) == [.purchasing])
    #expect(rig.queue.transactions.isEmpty)
    #expect(try await rig.buy(Goods.pro).transactionState == .purchased)
  }

  @Test("QUE-19: a refund of an unfinished purchase removes it, and does not tell it as purchased again")
  func unfinished() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    rig.watcher.forget()
    await rig.store.change { $0.refund(bought.id) }
    await rig.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    #expect(rig.watcher.updates.isEmpty)
    #expect(rig.watcher.removals.map(\.id) == [bought.id])
    #expect(rig.watcher.revocations.map(\.revocationDate) == [StoreRules.date])
    #expect(rig.queue.transactions.isEmpty)
    let late = Watcher()
    rig.queue.add(observer: late)
    await pass(rig)
    #expect(!late.updates.contains { $0.id == bought.id })
  }

  @Test("QUE-19: a refund is told once: not again when the app finishes, when the order changes, or after restarts")
  func once() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    await rig.store.change { $0.refund(bought.id) }
    await rig.watcher.until { $0.revocations.count == 1 }
    rig.queue.finishTransaction(bought)
    // Another device of the account finishes it.
    try await rig.store.change { try $0.finish(bought.id, Rig.alice.accountID) }
    await pass(rig)
    #expect(rig.watcher.revocations.count == 1)
    await rig.restart()
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
    try await restartWithoutCursor(rig)
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
    #expect(!rig.watcher.updates.contains { $0.id == bought.id })
  }

  @Test("QUE-19: a refund that comes while a finish is on its way to the store is told once")
  func whileFinishing() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.pro)
    await rig.store.disturb(.finish, .hang)
    rig.queue.finishTransaction(bought)
    await rig.store.until { _, log in log.contains(.finish) }
    await rig.store.change { $0.refund(bought.id) }
    await rig.watcher.until { $0.revocations.count == 1 }
    await rig.restart()
    await rig.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    await pass(rig)
    try await restartWithoutCursor(rig)
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
  }

  @Test("QUE-20: a refund of a finished purchase is told though the device has lost its place, once")
  func withoutCursor() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    await rig.finish(bought)
    await rig.queue.close()
    await rig.store.change { $0.refund(bought.id) }
    try await restartWithoutCursor(rig)
    await rig.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    try await restartWithoutCursor(rig)
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
  }

  @Test("QUE-19: the refund of a purchase that was added twice is told once, and takes both away")
  func duplicate() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.pro)
    await rig.finish(bought)
    let again = try await rig.buy(Goods.pro)
    #expect(again.transactionIdentifier == bought.transactionIdentifier)
    await rig.store.change { $0.refund(bought.id) }
    await rig.watcher.until { $0.revocations.map(\.id) == [bought.id] && $0.removals.map(\.id).contains(again.id) }
    #expect(rig.queue.transactions.isEmpty)
    await rig.restart()
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
    #expect(!rig.watcher.updates.contains { $0.id == again.id })
  }

  @Test("QUE-19: a refund that the disk does not take is told when it does, once")
  func diskFull() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    await rig.finish(bought)
    await pass(rig)
    // A folder where the file is to be written first.
    let obstacle = rig.transactions.appendingPathComponent("\(OrderID(bought.id)).json.tmp")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
    await rig.store.change { $0.refund(bought.id) }
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
    try FileManager.default.removeItem(at: obstacle)
    await rig.watcher.until { $0.revocations.map(\.id) == [bought.id] }
    // The failed write has cost the cursor.
    await rig.restart()
    await pass(rig)
    #expect(rig.watcher.revocations.isEmpty)
  }

  @Test("QUE-8, QUE-20: a store that starts over by itself has payments on their way asked about")
  func restoredStore() async throws {
    let rig = try await Rig()
    await rig.store.script(.payLater)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.check) }
    let id = try #require(rig.queue.transactions.first?.id)
    try await rig.store.change {
      $0.pay(id)
      try $0.finish(id, Rig.alice.accountID)
      $0.restoreBackup()
    }
    await rig.watcher.until { $0.removals.map(\.id) == [id] }
    #expect(rig.watcher.states(of: id) == [.purchasing])
  }
}
