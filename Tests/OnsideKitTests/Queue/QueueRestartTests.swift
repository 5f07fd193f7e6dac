import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Restarts of the payment queue", .timeLimit(.minutes(5)))
struct QueueRestartTests {
  /// Runs a purchase that is killed at a point, starts again and runs all pending work.
  private func killed(at point: Checkpoint, _ act: FakeStore.UserAct) async throws -> (
    Rig, before: [OnsidePaymentTransaction]
  ) {
    let rig = try await Rig()
    await rig.store.script(act)
    let dead = AsyncStream.makeStream(of: Void.self)
    rig.queue.checkpoint = { [weak rig] passed in
      guard passed == point else { return }
      rig?.queue.stop()
      dead.continuation.finish()
    }
    rig.watcher.react = { queue, heard in
      guard case .updated(let transactions) = heard else { return }
      guard point == .finishJournaled || point == .finishSent else { return }
      for transaction in transactions where transaction.transactionState != .purchasing {
        queue.finishTransaction(transaction)
      }
    }
    try rig.add(Goods.coins)
    for await _ in dead.stream {}
    let before = rig.watcher.updates
    await rig.restart()
    return (rig, before)
  }

  @Test(
    "QUE-8: a kill anywhere between add and finish loses no paid order and pays none twice",
    arguments: Checkpoint.allCases)
  func killAnywhere(point: Checkpoint) async throws {
    let (rig, before) = try await killed(at: point, .pay)
    let paid = await rig.store.rules.charges
    #expect(paid.values.allSatisfy { $0 == 1 })
    switch point {
    case .added:
      #expect(rig.files.isEmpty)
    case .journaled, .ordered, .presenting:
      let failed = try await rig.watcher.first(.failed)
      #expect(failed.error == .cancelled)
      #expect(paid.isEmpty)
      #expect(await rig.store.rules.orders[failed.id]?.state != .open)
    case .settled, .delivered:
      let bought = try await rig.watcher.first(.purchased)
      #expect(paid == [bought.id: 1])
      #expect(bought.deliveryReason == .redelivered)
      #expect(bought.id == before.first?.id)
      await rig.finish(bought)
    case .finishJournaled, .finishSent:
      let id = try #require(before.first?.id)
      await rig.store.until { rules, _ in rules.orders[id]?.finished == true }
      // One more purchase goes through everything; the finished one never shows up.
      _ = try await rig.buy(Goods.pro)
      #expect(!rig.watcher.updates.contains { $0.id == id })
    }
  }

  @Test("QUE-8: an unpaid order comes back as cancelled and is given up at the store")
  func unpaid() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.present) }
    await rig.restart()
    let failed = try await rig.watcher.first(.failed)
    #expect(failed.error == .cancelled)
    #expect(await rig.store.rules.orders[failed.id]?.state == .cancelled)
    rig.queue.finishTransaction(failed)
    await rig.watcher.until { !$0.removals.isEmpty }
    #expect(rig.files.isEmpty)
  }

  @Test("QUE-8: a payment that takes its time goes on after a restart")
  func processing() async throws {
    let rig = try await Rig()
    await rig.store.script(.payLater)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.check) }
    let id = try #require(rig.queue.transactions.first?.id)
    await rig.restart()
    await rig.store.until { _, log in log.count { $0 == .check } == 2 }
    await rig.store.change { $0.pay(id) }
    #expect(try await rig.watcher.first(.purchased).id == id)
  }

  @Test(
    "QUE-8: a call that hangs when the process ends is asked again", arguments: [FakeStore.Call.order, .check, .cancel])
  func hangs(call: FakeStore.Call) async throws {
    let rig = try await Rig()
    await rig.store.disturb(call, .hang)
    await rig.store.script(call == .cancel ? .closeScreen : .pay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(call) }
    await rig.restart()
    let final = try await rig.watcher.first(call == .check ? .purchased : .failed)
    #expect(await rig.store.rules.orders[final.id]?.state != .open)
  }

  @Test("QUE-8: nothing is asked of the store before an observer is there")
  func recoveryWaits() async throws {
    let rig = try await Rig()
    _ = try await rig.buy(Goods.coins)
    await rig.restart(observed: false)
    let asked = await rig.store.log.count
    let late = Watcher()
    rig.queue.add(observer: late)
    #expect(try await late.first(.purchased).deliveryReason == .redelivered)
    #expect(await rig.store.log.dropFirst(asked).allSatisfy { $0 == .sync })
  }

  @Test("QUE-1, QUE-8: what was on the disk is asked about once an observer is there, and not before")
  func asksWhenObserved() throws {
    let payment = OnsidePayment(product: OnsideProduct(try OrderMessage.paid(Rig.uuid(7)).product))
    let entry = QueueEntry(
      payment, id: Rig.uuid(7), account: Rig.alice.accountID, country: .netherlands, date: StoreRules.date)
    var machine = QueueMachine(launch: "test")
    let storefront = OnsideStorefront(id: "nl", countryCode: "NL")
    let effects =
      machine.handle(.account(Member(signedIn: Rig.alice, storefront: storefront)))
      + machine.handle(.loaded([entry.account: TransactionBook([entry], cursor: "3")]))
    #expect(machine.transactions.map(\.id) == [entry.id])
    #expect(effects.questions.isEmpty)
    #expect(machine.handle(.observersChanged(hasAny: true)).questions.sorted() == ["check", "sync 3"])
  }

  @Test("QUE-8: a purchase that the disk did not take comes again after a kill, though later ones were taken")
  func writeFails() async throws {
    let rig = try await Rig()
    await rig.store.until { _, log in log.contains(.sync) }
    let (id, obstacle) = try await rig.store.change { [transactions = rig.transactions] rules in
      let id = rules.sellElsewhere(Goods.coins, to: Rig.alice.accountID)
      // A folder where the file is to be written first.
      let obstacle = transactions.appendingPathComponent("\(OrderID(id)).json.tmp")
      try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
      return (id, obstacle)
    }
    #expect(try await rig.watcher.first(.purchased).id == id)
    // Its arrival means that the sync before has ended and has moved the cursor.
    let later = await rig.store.change { $0.sellElsewhere(Goods.pro, to: Rig.alice.accountID) }
    await rig.watcher.until { $0.updates.contains { $0.id == later } }
    await rig.queue.close()
    try FileManager.default.removeItem(at: obstacle)
    #expect(rig.files == ["\(OrderID(later)).json"])
    await rig.restart()
    await rig.watcher.until { $0.updates.contains { $0.id == id } }
  }

  @Test("QUE-13: a finish on a disk that cannot be read for a while is neither lost nor taken for damage")
  func readFails() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    await rig.store.disturb(.finish, .hang)
    rig.queue.finishTransaction(bought)
    await rig.store.until { _, log in log.contains(.finish) }
    await rig.queue.close()
    let file = rig.transactions.appendingPathComponent("\(OrderID(bought.id)).json")
    let kept = rig.folder.appendingPathComponent("kept")
    try FileManager.default.moveItem(at: file, to: kept)
    // Reading a link to a folder is an error; renaming the file replaces the link at once.
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: rig.folder)
    await rig.restart()
    while !rig.logs.warnings.contains(where: { $0.contains("cannot use the disk") }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    try rig.add(Goods.pro)
    await rig.watcher.until { $0.heard.contains(.completed("pro: rejectedAfterLogin")) }
    #expect(rename(kept.path, file.path) == 0)
    await rig.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    _ = try await rig.buy(Goods.pro)
    #expect(!rig.watcher.updates.contains { $0.id == bought.id })
    #expect(!rig.files.contains { $0.hasSuffix(".damaged") })
  }
}

extension [QueueEffect] {
  /// What the store is asked.
  fileprivate var questions: [String] {
    compactMap { effect in
      switch effect {
      case .check: "check"
      case .sync(_, let cursor): "sync \(cursor ?? "-")"
      case .order: "order"
      case .cancel: "cancel"
      case .fetchRestorable: "restorable"
      case .finish: "finish"
      default: nil
      }
    }
  }
}
