import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("The sync of the payment queue", .timeLimit(.minutes(5)))
struct QueueSyncTests {
  @Test("QUE-16: a purchase made elsewhere arrives with its reason, once")
  func elsewhere() async throws {
    let harness = try await QueueHarness()
    await harness.store.until { _, log in log.contains(.sync) }
    let id = await harness.store.change { $0.sellElsewhere(RuleProducts.pro, to: QueueHarness.alice.accountID) }
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.id == id)
    #expect(bought.deliveryReason == .elsewhere)
    #expect(bought.transactionIdentifier == id.uuidString.lowercased())
    #expect(bought.signedPurchase == "receipt-\(id)")
    await harness.finish(bought)
    await harness.restart()
    _ = try await harness.buy(RuleProducts.coins)
    #expect(!harness.watcher.updates.contains { $0.id == id })
  }

  @Test("QUE-16: a purchase made while the device was off arrives after the start")
  func whileOff() async throws {
    let harness = try await QueueHarness()
    _ = try await harness.buy(RuleProducts.coins)
    await harness.queue.close()
    let id = await harness.store.change { $0.sellElsewhere(RuleProducts.pro, to: QueueHarness.alice.accountID) }
    await harness.restart()
    await harness.watcher.until { $0.updates.contains { $0.id == id } }
    #expect(harness.watcher.updates.first { $0.id == id }?.deliveryReason == .elsewhere)
  }

  @Test("QUE-16: a kill between a sync and its disk write loses nothing: the cursor is written after the purchases")
  func cursorComesLast() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let order = try OrderMessage.paid(QueueHarness.uuid(7))
    let end = SyncEnd(cursor: "1", country: .netherlands, isEmpty: false)
    let effects =
      machine.handle(.synced(round: machine.sync.round, [order]))
      + machine.handle(.syncEnded(round: machine.sync.round, .success(end)))
    let disk = effects.compactMap { effect in
      switch effect {
      case .disk(.write(let entries, _, _)): "write \(entries.count)"
      case .disk(.saveCursor(_, let cursor)): "cursor \(cursor ?? "-")"
      default: nil
      }
    }
    #expect(disk == ["write 1", "cursor 1"])
  }

  @Test("QUE-17: every delivery carries its reason")
  func reasons() async throws {
    let harness = try await QueueHarness()
    let new = try await harness.buy(RuleProducts.club)
    #expect(new.deliveryReason == .new)
    let renewal = await harness.store.change {
      $0.sellElsewhere(RuleProducts.club, to: QueueHarness.alice.accountID, renewalOf: new.id)
    }
    await harness.watcher.until { $0.updates.contains { $0.id == renewal } }
    let renewed = try #require(harness.watcher.updates.last)
    #expect(renewed.deliveryReason == .renewed)
    #expect(renewed.originalTransactionIdentifier == new.transactionIdentifier)
    let late = Watcher()
    harness.queue.add(observer: late)
    await late.until { $0.updates.count == 2 }
    #expect(late.updates.map(\.deliveryReason) == [.redelivered, .redelivered])
    await harness.finish(new)
    await harness.finish(renewed)
    harness.restore()
    let deliveryReason = try await harness.watcher.first(.restored).deliveryReason
    #expect(deliveryReason == .restored)
  }

  @Test("QUE-17: a purchase that no observer was told of is not called redelivered")
  func notYetDelivered() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    harness.queue.remove(observer: harness.watcher)
    await harness.store.script(.pay)
    await harness.store.change { $0.pay(id) }
    let late = Watcher()
    harness.queue.add(observer: late)
    let deliveryReason = try await late.first(.purchased).deliveryReason
    #expect(deliveryReason == .new)
  }

  @Test("QUE-19: a refund reaches a running app, for unfinished and for finished purchases")
  func refunds() async throws {
    let harness = try await QueueHarness()
    let finished = try await harness.buy(RuleProducts.pro)
    await harness.finish(finished)
    let unfinished = try await harness.buy(RuleProducts.coins)
    await harness.store.change {
      $0.refund(finished.id)
      $0.refund(unfinished.id)
    }
    await harness.watcher.until { $0.revocations.count == 2 }
    #expect(Set(harness.watcher.revocations.map(\.id)) == [finished.id, unfinished.id])
    #expect(harness.watcher.revocations.allSatisfy { $0.revocationDate != nil })
    #expect(harness.queue.transactions.isEmpty)
    #expect(!harness.watcher.states(of: finished.id).contains(.restored))
    #expect(harness.watcher.states(of: finished.id).count { $0 == .purchased } == 1)
  }

  @Test("QUE-9: a sync that pauses after failures goes on as soon as an order gets through")
  func wakes() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let payment = OnsidePayment(product: OnsideProduct(try OrderMessage.paid(QueueHarness.uuid(1)).product))
    let request = AddRequest(
      call: QueueHarness.uuid(2), payment: payment, id: QueueHarness.uuid(1), date: FakeRules.date,
      provisionalCountry: nil)
    _ = machine.handle(.add(request))
    _ = machine.handle(.enlisted(request.id, onDisk: true))
    _ = machine.handle(.syncEnded(round: machine.sync.round, .failure(.connection)))
    var open = try OrderMessage.paid(request.id)
    open.state = .open
    let effects = machine.handle(.purchase(request.id, step: 1, .ordered(.success(open))))
    let isAsking = effects.contains { if case .sync = $0 { true } else { false } }
    #expect(isAsking)
  }

  @Test("QUE-9: a sync that pauses after failures goes on when a page of the store has closed")
  func pageClosed() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let polls = machine.sync.round
    #expect(machine.handle(.storePageClosed).isEmpty && machine.sync.round == polls)
    _ = machine.handle(.syncEnded(round: polls, .failure(.connection)))
    let effects = machine.handle(.storePageClosed)
    let isAsking = effects.contains { if case .sync = $0 { true } else { false } }
    #expect(isAsking && machine.sync.round != polls)
  }

  @Test("QUE-19: refunds in the answer to a stopped sync are not taken in; those of the present sync are")
  func stopped() throws {
    var machine = QueueMachine.signedIn(observed: true)
    var order = try OrderMessage.paid(QueueHarness.uuid(1))
    (order.revokedAt, order.finishedHere) = (FakeRules.date, true)
    let stopped = machine.sync.round
    _ = machine.handle(.observersChanged(hasAny: false))
    _ = machine.handle(.observersChanged(hasAny: true))
    #expect(machine.handle(.synced(round: stopped, [order])).isEmpty && machine.book.untold.isEmpty)
    _ = machine.handle(.synced(round: machine.sync.round, [order]))
    #expect(machine.book.untold == [order.id.uuid])
  }

  /// A machine with a payment whose money is on its way.
  private func processing(_ id: UUID) throws -> (machine: QueueMachine, order: OrderMessage) {
    var machine = QueueMachine.signedIn(observed: true)
    var order = try OrderMessage.paid(id)
    order.state = .processing
    let request = AddRequest(
      call: QueueHarness.uuid(2), payment: OnsidePayment(product: OnsideProduct(order.product)), id: id,
      date: FakeRules.date,
      provisionalCountry: nil)
    _ = machine.handle(.add(request))
    _ = machine.handle(.enlisted(id, onDisk: true))
    _ = machine.handle(.purchase(id, step: 1, .ordered(.success(order))))
    #expect(machine.purchases[id]?.phase == .processing)
    return (machine, order)
  }

  @Test("QUE-8, QUE-9: a sync that starts over and is silent about a payment on its way has the store asked about it")
  func startsOver() throws {
    let id = QueueHarness.uuid(1)
    var (machine, order) = try processing(id)
    let end = SyncEnd(cursor: "9", country: .netherlands, isEmpty: false, startedOver: true)
    let step = try #require(machine.handle(.syncEnded(round: machine.sync.round, .success(end))).checks(of: id).first)
    // It was paid, and another device has finished it.
    order.state = .paid
    order.finished = true
    let removed = machine.handle(.purchase(id, step: step, .told(.success(order))))
    #expect(removed.contains { if case .tell(.removed) = $0 { true } else { false } })
    #expect(machine.transactions.isEmpty)
  }

  @Test("QUE-9: an answer from before a sync that started over is not believed")
  func olderAnswer() throws {
    let id = QueueHarness.uuid(1)
    var (machine, order) = try processing(id)
    let end = SyncEnd(cursor: "9", country: .netherlands, isEmpty: false, startedOver: true)
    let old = try #require(machine.handle(.syncEnded(round: machine.sync.round, .success(end))).checks(of: id).first)
    let new = try #require(machine.handle(.syncEnded(round: machine.sync.round, .success(end))).checks(of: id).first)
    _ = machine.handle(.purchase(id, step: old, .told(.success(order))))
    #expect(machine.purchases[id]?.phase == .checking)
    order.state = .cancelled
    _ = machine.handle(.purchase(id, step: new, .told(.success(order))))
    _ = machine.handle(.failureWritten(id))
    #expect(machine.transactions.map(\.transactionState) == [.failed])
  }

  @Test("QUE-9: a sync that goes on asks about nothing: it tells what has changed")
  func goesOn() throws {
    let id = QueueHarness.uuid(1)
    var (machine, _) = try processing(id)
    let end = SyncEnd(cursor: "9", country: .netherlands, isEmpty: false)
    #expect(machine.handle(.syncEnded(round: machine.sync.round, .success(end))).checks(of: id).isEmpty)
  }

  @Test("A store that answers at once with nothing new is not asked without rest")
  func breath() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let end = SyncEnd(cursor: "0", country: .netherlands, isEmpty: true)
    let effects = machine.handle(.syncEnded(round: machine.sync.round, .success(end)))
    let isResting = effects.contains { if case .pause(.breath, _, .syncAgain) = $0 { true } else { false } }
    let isAsking = effects.contains { if case .sync = $0 { true } else { false } }
    #expect(isResting)
    #expect(!isAsking)
  }
}

extension [QueueEffect] {
  /// The steps of the questions how an order stands.
  fileprivate func checks(of id: UUID) -> [Int] {
    compactMap { if case .payment(id, let step, .check) = $0 { step } else { nil } }
  }
}
