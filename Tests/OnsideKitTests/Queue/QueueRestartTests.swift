import Foundation
import OnsideAPI
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("Restarts of the payment queue", .timeLimit(.minutes(5)))
struct QueueRestartTests {
  /// Runs a purchase that is killed at a point, starts again and runs all pending work.
  private func killed(at point: Checkpoint, _ act: FakeStore.UserAct) async throws -> (
    QueueHarness, before: [OnsidePaymentTransaction]
  ) {
    let harness = try await QueueHarness()
    await harness.store.script(act)
    let dead = AsyncStream.makeStream(of: Void.self)
    harness.queue.checkpoint = { [weak harness] passed in
      guard passed == point else { return }
      harness?.queue.stop()
      dead.continuation.finish()
    }
    harness.watcher.react = { queue, heard in
      guard case .updated(let transactions) = heard else { return }
      guard point == .finishJournaled || point == .finishSent else { return }
      for transaction in transactions where transaction.transactionState != .purchasing {
        queue.finishTransaction(transaction)
      }
    }
    try harness.add(RuleProducts.coins)
    for await _ in dead.stream {}
    let before = harness.watcher.updates
    await harness.restart()
    return (harness, before)
  }

  @Test(
    "QUE-8: a kill anywhere between add and finish loses no paid order and pays none twice",
    arguments: Checkpoint.allCases)
  func killAnywhere(point: Checkpoint) async throws {
    let (harness, before) = try await killed(at: point, .pay)
    let paid = await harness.store.rules.charges
    #expect(paid.values.allSatisfy { $0 == 1 })
    switch point {
    case .added:
      #expect(harness.files.isEmpty)
    case .journaled, .ordered, .presenting:
      let failed = try await harness.watcher.first(.failed)
      #expect(failed.error == .cancelled)
      #expect(paid.isEmpty)
      let state = await harness.store.rules.orders[failed.id]?.state
      #expect(state != .open)
    case .settled, .delivered:
      let bought = try await harness.watcher.first(.purchased)
      #expect(paid == [bought.id: 1])
      #expect(bought.deliveryReason == .redelivered)
      #expect(bought.id == before.first?.id)
      await harness.finish(bought)
    case .finishJournaled, .finishSent:
      let id = try #require(before.first?.id)
      await harness.store.until { rules, _ in rules.orders[id]?.finished == true }
      // One more purchase goes through everything; the finished one never shows up.
      _ = try await harness.buy(RuleProducts.pro)
      #expect(!harness.watcher.updates.contains { $0.id == id })
    }
  }

  @Test("QUE-8: an unpaid order comes back as cancelled and is given up at the store")
  func unpaid() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    await harness.restart()
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .cancelled)
    let state = await harness.store.rules.orders[failed.id]?.state
    #expect(state == .cancelled)
    harness.queue.finishTransaction(failed)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(harness.files.isEmpty)
  }

  @Test("QUE-8: a payment that takes its time goes on after a restart")
  func processing() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.check) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.restart()
    await harness.store.until { _, log in log.count { $0 == .check } == 2 }
    await harness.store.change { $0.pay(id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
  }

  @Test(
    "QUE-8: a call that hangs when the process ends is asked again", arguments: [FakeStore.Call.order, .check, .cancel])
  func hangs(call: FakeStore.Call) async throws {
    let harness = try await QueueHarness()
    await harness.store.disturb(call, with: .hang)
    await harness.store.script(call == .cancel ? .closeScreen : .pay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(call) }
    await harness.restart()
    let final = try await harness.watcher.first(call == .check ? .purchased : .failed)
    let state = await harness.store.rules.orders[final.id]?.state
    #expect(state != .open)
  }

  @Test("QUE-8: nothing is asked of the store before an observer is there")
  func recoveryWaits() async throws {
    let harness = try await QueueHarness()
    _ = try await harness.buy(RuleProducts.pro)
    await harness.queue.close()
    let asked = await harness.store.log.count
    await harness.restart(observed: false)
    #expect(await eventually { harness.queue.transactions.count == 1 })
    let askedUnobserved = await harness.store.log.count
    #expect(askedUnobserved == asked)
    let late = Watcher()
    harness.queue.add(observer: late)
    let deliveryReason = try await late.first(.purchased).deliveryReason
    #expect(deliveryReason == .redelivered)
    #expect(await harness.store.log.dropFirst(asked).allSatisfy { $0 == .sync })
  }

  @Test(
    "QUE-22: an unfinished consumable that another device has finished meanwhile is not delivered at the next launch")
  func finishedElsewhereMeanwhile() async throws {
    let harness = try await QueueHarness()
    let coins = try await harness.buy(RuleProducts.coins)
    await harness.queue.close()
    try await harness.store.change { try $0.finish(coins.id, of: QueueHarness.alice.accountID, on: "tablet") }
    await harness.restart()
    let pro = try await harness.buy(RuleProducts.pro)
    await harness.store.until { rules, _ in rules.finishes(of: coins.id) == ["tablet", ""] }
    #expect(harness.queue.transactions.map(\.id) == [pro.id])
    #expect(harness.watcher.states(of: coins.id).isEmpty)
  }

  @Test("QUE-22: an unfinished consumable is delivered at the next launch if the store cannot be reached")
  func deliveredOffline() async throws {
    let harness = try await QueueHarness()
    let coins = try await harness.buy(RuleProducts.coins)
    await harness.queue.close()
    await harness.store.disturb(.check, with: .fail(.connection))
    await harness.store.disturb(.sync, with: .fail(.connection))
    await harness.restart()
    let again = try await harness.watcher.first(.purchased)
    #expect(again.id == coins.id && again.deliveryReason == .redelivered)
  }

  @Test("QUE-1, QUE-8: what was on the disk is asked about once an observer is there, and not before")
  func asksWhenObserved() throws {
    let payment = OnsidePayment(product: OnsideProduct(try OrderMessage.paid(QueueHarness.uuid(7)).product))
    let entry = QueueEntry(
      payment, id: QueueHarness.uuid(7), account: QueueHarness.alice.accountID, country: .netherlands,
      date: FakeRules.date)
    var machine = QueueMachine(launch: "test")
    let storefront = OnsideStorefront(id: "nl", countryCode: "NL")
    let effects =
      machine.handle(.account(Member(signedIn: QueueHarness.alice, storefront: storefront)))
      + machine.handle(.loaded([entry.account: TransactionBook([entry], cursor: "3")]))
    #expect(machine.transactions.map(\.id) == [entry.id])
    #expect(effects.questions.isEmpty)
    #expect(machine.handle(.observersChanged(hasAny: true)).questions.sorted() == ["check", "sync 3"])
  }

  @Test("QUE-8: a purchase that the disk did not take comes again after a kill, though later ones were taken")
  func writeFails() async throws {
    let harness = try await QueueHarness()
    await harness.store.until { _, log in log.contains(.sync) }
    let (id, obstacle) = try await harness.store.change { [transactions = harness.transactions] rules in
      let id = rules.sellElsewhere(RuleProducts.coins, to: QueueHarness.alice.accountID)
      // A folder where the file is to be written first.
      let obstacle = transactions.appendingPathComponent("\(OrderID(id)).json.tmp")
      try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
      return (id, obstacle)
    }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
    // Its arrival means that the sync before has ended and has moved the cursor.
    let later = await harness.store.change { $0.sellElsewhere(RuleProducts.pro, to: QueueHarness.alice.accountID) }
    await harness.watcher.until { $0.updates.contains { $0.id == later } }
    await harness.queue.close()
    try FileManager.default.removeItem(at: obstacle)
    #expect(harness.files == ["\(OrderID(later)).json"])
    await harness.restart()
    await harness.watcher.until { $0.updates.contains { $0.id == id } }
  }

  @Test("QUE-13: a finish on a disk that cannot be read for a while is neither lost nor taken for damage")
  func readFails() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .hang)
    harness.queue.finishTransaction(bought)
    await harness.store.until { _, log in log.contains(.finish) }
    await harness.queue.close()
    let file = harness.transactions.appendingPathComponent("\(OrderID(bought.id)).json")
    let kept = harness.folder.appendingPathComponent("kept")
    try FileManager.default.moveItem(at: file, to: kept)
    // Reading a link to a folder is an error; renaming the file replaces the link at once.
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: harness.folder)
    await harness.restart()
    while !harness.logs.warnings.contains(where: { $0.contains("cannot use the disk") }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    try harness.add(RuleProducts.pro)
    await harness.watcher.until { $0.heard.contains(.completed("pro: rejectedAfterLogin")) }
    #expect(rename(kept.path, file.path) == 0)
    await harness.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    _ = try await harness.buy(RuleProducts.pro)
    #expect(!harness.watcher.updates.contains { $0.id == bought.id })
    #expect(!harness.files.contains { $0.hasSuffix(".damaged") })
  }
}

extension [QueueEffect] {
  /// What the store is asked.
  fileprivate var questions: [String] {
    compactMap { effect in
      switch effect {
      case .payment(_, _, .check): "check"
      case .sync(_, let cursor): "sync \(cursor ?? "-")"
      case .payment(_, _, .order): "order"
      case .payment(_, _, .cancel): "cancel"
      case .fetchRestorable: "restorable"
      case .finish: "finish"
      default: nil
      }
    }
  }
}
