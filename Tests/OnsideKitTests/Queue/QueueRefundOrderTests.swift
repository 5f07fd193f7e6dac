import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// In which order a refund reaches the disk and the app.
@Suite("Steps of a refund", .timeLimit(.minutes(5)))
struct QueueRefundOrderTests {
  private let id = QueueHarness.uuid(9)
  private var owner: AccountID { QueueHarness.alice.accountID }

  private func refunded(finished: Bool = false) throws -> OrderMessage {
    var order = try OrderMessage.paid(id)
    order.finished = finished
    order.revokedAt = FakeRules.date
    return order
  }

  /// A machine that has just heard that a purchase which the app holds was refunded.
  private func refunding() throws -> (machine: QueueMachine, effects: [QueueEffect]) {
    var machine = QueueMachine.signedIn(observed: true)
    _ = machine.handle(.synced(round: machine.sync.round, [try .paid(id)]))
    let effects = machine.handle(.synced(round: machine.sync.round, [try refunded()]))
    return (machine, effects)
  }

  @Test("QUE-19: a refund is told when it is on the disk, and noted on the disk once it is told")
  func steps() throws {
    var (machine, effects) = try refunding()
    #expect(effects.refundWrites.map(\.owesRevocation) == [true])
    #expect(effects.refunds.isEmpty)
    #expect(machine.transactions.isEmpty)
    let told = machine.handle(.revocationsWritten([id], owner))
    #expect(told.refunds == [id])
    #expect(told.refundWrites.isEmpty)
    let noted = machine.handle(.revocationsTold([id])).refundWrites
    #expect(noted.map(\.owesRevocation) == [nil])
    #expect(machine.handle(.synced(round: machine.sync.round, [try refunded(finished: true)])).refunds.isEmpty)
  }

  @Test(
    "QUE-19: a refund in an answer older than a finish that has left the queue is notified, also of a duplicate",
    arguments: [false, true])
  func answerOlderThanFinish(isDuplicate: Bool) throws {
    var machine = QueueMachine.signedIn(observed: true)
    var finished = try OrderMessage.paid(isDuplicate ? QueueHarness.uuid(10) : id)
    if isDuplicate { finished.duplicateOf = OrderID(id) }
    _ = machine.handle(.synced(round: machine.sync.round, [finished]))
    _ = machine.handle(.finish(finished.id.uuid))
    let entry = try #require(machine.book[finished.id.uuid])
    _ = machine.handle(.finishWritten(entry, onDisk: true, attempt: 0))
    _ = machine.handle(.finishAnswered(entry.id, round: machine.finishing.round, nil))
    #expect(machine.book[entry.id] == nil)
    let effects = machine.handle(.synced(round: machine.sync.round, [try refunded()]))
    #expect(effects.refundWrites.map(\.id) == [id])
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds == [id])
  }

  @Test(
    "QUE-21: an answer older than a claim that has ended a purchase does not bring the purchase back",
    arguments: [false, true])
  func answerOlderThanClaim(isRefunded: Bool) throws {
    var machine = QueueMachine.signedIn(observed: true)
    var elsewhere = try OrderMessage.paid(id)
    elsewhere.delivery = DeliveryMessage(.free)
    _ = machine.handle(.synced(round: machine.sync.round, [elsewhere]))
    let step = try #require(machine.purchases[id]?.step)
    let ended = try refunded(finished: !isRefunded)
    var answer = ended
    if !isRefunded { answer.revokedAt = nil }
    _ = machine.handle(.purchase(id, step: step, .told(.success(answer))))
    #expect(machine.book[id] == nil)
    _ = machine.handle(.synced(round: machine.sync.round, [try .paid(id)]))
    #expect(machine.transactions.isEmpty)
  }

  @Test("QUE-19: a launch tells what the one before had not told, and only that")
  func nextLaunch() throws {
    for (owes, told) in [(true, [id]), (nil, [])] as [(Bool?, [UUID])] {
      var entry = QueueEntry(try refunded(), account: owner, state: .purchased, reason: .new)
      entry.owesRevocation = owes
      var machine = QueueMachine(launch: "test")
      _ = machine.handle(
        .account(.init(signedIn: QueueHarness.alice, storefront: OnsideStorefront(id: "1", countryCode: "NL"))))
      _ = machine.handle(.loaded([owner: TransactionBook([entry], cursor: nil)]))
      #expect(machine.transactions.isEmpty)
      _ = machine.handle(.observersChanged(hasAny: true))
      #expect(machine.handle(.revocationsWritten([id], owner)).refunds == told)
    }
  }

  @Test("QUE-19: without an observer a refund waits for the next one")
  func waitsForObserver() throws {
    var (machine, _) = try refunding()
    _ = machine.handle(.observersChanged(hasAny: false))
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds.isEmpty)
    #expect(machine.handle(.observersChanged(hasAny: true)).refundWrites.count == 1)
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds == [id])
  }

  @Test("QUE-19: a refund that a full disk takes while there is no observer is told to the next one")
  func writtenWithoutObserver() throws {
    var (machine, _) = try refunding()
    _ = machine.handle(.revocationsNotWritten([id], owner, attempt: 1))
    _ = machine.handle(.observersChanged(hasAny: false))
    #expect(machine.handle(.writeRevocationsAgain([id], owner, attempt: 1)).refundWrites.count == 1)
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds.isEmpty)
    #expect(machine.handle(.observersChanged(hasAny: true)).refundWrites.count == 1)
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds == [id])
  }

  @Test("QUE-19: a refund whose account leaves while it is written is told when the account is back, once")
  func leavesMeanwhile() throws {
    var (machine, _) = try refunding()
    let member = machine.member
    _ = machine.handle(.account(nil))
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds.isEmpty)
    _ = machine.handle(.account(member))
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds == [id])
    // The app logs out in the middle of being told.
    _ = machine.handle(.account(nil))
    #expect(machine.handle(.revocationsTold([id])).refundWrites.count == 1)
    _ = machine.handle(.account(member))
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds.isEmpty)
  }

  @Test("QUE-19: a note that the disk does not take is written again, and nothing is told again")
  func noteFails() throws {
    var (machine, _) = try refunding()
    _ = machine.handle(.revocationsWritten([id], owner))
    _ = machine.handle(.revocationsTold([id]))
    let pauses = machine.handle(.revocationsNotWritten([id], owner, attempt: 1))
    #expect(pauses.contains { if case .pause(.long, _, .writeRevocationsAgain) = $0 { true } else { false } })
    #expect(machine.handle(.writeRevocationsAgain([id], owner, attempt: 1)).refundWrites.count == 1)
    #expect(machine.handle(.revocationsWritten([id], owner)).refunds.isEmpty)
  }

  @Test("QUE-19: the refund is on the disk before the cursor that has passed it")
  func cursorComesLast() throws {
    var (machine, effects) = try refunding()
    effects += machine.handle(
      .syncEnded(
        round: machine.sync.round, .success(SyncEnd(cursor: "1", country: .netherlands, isEmpty: false))))
    let disk = effects.compactMap { effect in
      switch effect {
      case .disk(.write): "write"
      case .disk(.saveCursor): "cursor"
      default: nil
      }
    }
    #expect(disk == ["write", "cursor"])
  }

  @Test("QUE-19: an answer to a restore from before the refund does not bring the purchase back")
  func staleRestore() throws {
    var (machine, _) = try refunding()
    _ = machine.handle(.restore(QueueHarness.uuid(3)))
    let effects = machine.handle(.restored(round: machine.restoring.round, [try .paid(id)]))
    #expect(!effects.contains { if case .tell(.updated) = $0 { true } else { false } })
    #expect(machine.transactions.isEmpty)
  }

  @Test("QUE-19: a finish that is written again does not overwrite the refund that came meanwhile")
  func finishAgain() throws {
    var machine = QueueMachine.signedIn(observed: true)
    _ = machine.handle(.synced(round: machine.sync.round, [try .paid(id)]))
    let written = machine.handle(.finish(id)).refundWrites
    let finished = try #require(written.first)
    _ = machine.handle(.finishWritten(finished, onDisk: false, attempt: 1))
    _ = machine.handle(.synced(round: machine.sync.round, [try refunded()]))
    let again = machine.handle(.writeFinishAgain(finished, attempt: 1)).refundWrites
    #expect(again.map(\.isRevoked) == [true])
    #expect(again.map(\.owesFinish) == [true])
  }

  @Test(
    "QUE-19: a purchase that settled without an observer is revoked only if it was replayed to one",
    arguments: [
      true, false,
    ])
  func replayed(isDelivered: Bool) throws {
    var machine = QueueMachine.signedIn(observed: true)
    machine.book.put(QueueEntry(try .paid(id), account: owner, state: .purchased, reason: .new))
    if isDelivered {
      let written = machine.handle(.replayed([id])).flatMap { effect -> [QueueEntry] in
        if case .disk(.write(let entries, _, _)) = effect { entries } else { [] }
      }
      #expect(written.map(\.wasDelivered) == [true])
    }
    let effects = machine.handle(.synced(round: machine.sync.round, [try refunded()]))
    #expect(effects.refundWrites.map(\.id) == (isDelivered ? [id] : []))
    #expect(machine.book.untold == (isDelivered ? [id] : []) && machine.transactions.isEmpty)
  }

  @Test("QUE-19: a repeated purchase is not delivered by a launch that has the refund of the first one on disk")
  func repeatedPurchase() throws {
    var first = QueueEntry(try refunded(), account: owner, state: .purchased, reason: .new)
    first.isFinished = true
    var order = try OrderMessage.paid(QueueHarness.uuid(77))
    order.duplicateOf = OrderID(id)
    let again = QueueEntry(order, account: owner, state: .purchased, reason: .new)
    let book = TransactionBook([first, again], cursor: nil)
    #expect(book.visible.isEmpty && book.untold.isEmpty)
    var delivered = again
    delivered.wasDelivered = true
    #expect(TransactionBook([first, delivered], cursor: nil).untold == [QueueHarness.uuid(77)])
    #expect(TransactionBook([again], cursor: nil).visible == [QueueHarness.uuid(77)])
  }

  @Test("QUE-19: a payment that failed here, was paid after all and refunded is not delivered after its failure")
  func failed() throws {
    var machine = QueueMachine.signedIn(observed: true)
    var entry = QueueEntry(try .paid(id), account: owner, state: .failed, reason: .new)
    entry.purchase = nil
    entry.error = .cancelled
    machine.book.put(entry)
    _ = machine.handle(.synced(round: machine.sync.round, [try refunded()]))
    #expect(machine.book[id]?.isPaidAfterAll == false)
    #expect(machine.transactions.map(\.transactionState) == [.failed])
  }

  @Test("Files of older versions are read: what is taken back in them was told and is in the queue no more")
  func oldFiles() throws {
    var entry = QueueEntry(try refunded(), account: owner, state: .purchased, reason: .new)
    entry.wasDelivered = true
    let text = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
    #expect(!text.contains("owesRevocation"))
    let read = try JSONDecoder().decode(QueueEntry.self, from: Data(text.utf8))
    let book = TransactionBook([read], cursor: nil)
    #expect(book.visible.isEmpty)
    #expect(book.untold.isEmpty)
  }
}

extension [QueueEffect] {
  /// What goes to the disk.
  fileprivate var refundWrites: [QueueEntry] {
    flatMap { effect -> [QueueEntry] in if case .disk(.write(let entries, _, _)) = effect { entries } else { [] } }
  }

  /// The refunds that observers hear of.
  fileprivate var refunds: [UUID] {
    flatMap { effect -> [UUID] in
      if case .tell(.revoked(let transactions)) = effect { transactions.map(\.id) } else { [] }
    }
  }
}
