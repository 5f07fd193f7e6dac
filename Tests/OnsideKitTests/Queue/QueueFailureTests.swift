import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("Failing", .timeLimit(.minutes(5)))
struct QueueFailureTests {
  private let id = QueueHarness.uuid(9)

  /// A machine with a payment that the store has just said will never be paid.
  private func failing() throws -> (machine: QueueMachine, order: OrderMessage, effects: [QueueEffect]) {
    var machine = QueueMachine.signedIn(observed: true)
    var order = try OrderMessage.paid(id)
    let request = AddRequest(
      call: QueueHarness.uuid(2), payment: OnsidePayment(product: OnsideProduct(order.product)), id: id,
      date: FakeRules.date,
      provisionalCountry: nil)
    _ = machine.handle(.add(request))
    _ = machine.handle(.enlisted(id, onDisk: true))
    order.state = .cancelled
    let effects = machine.handle(.synced(round: machine.sync.round, [order]))
    return (machine, order, effects)
  }

  @Test("QUE-8: a failure is told when it is on the disk, not before")
  func toldWhenWritten() throws {
    var (machine, _, effects) = try failing()
    #expect(effects.writes.map(\.state) == [.failed])
    #expect(effects.told.isEmpty)
    #expect(machine.transactions.map(\.transactionState) == [.purchasing])
    #expect(machine.handle(.failureWritten(id)).told.map(\.transactionState) == [.failed])
    #expect(machine.transactions.map(\.transactionState) == [.failed])
    #expect(machine.handle(.failureWritten(id)).isEmpty)
  }

  @Test("QUE-8: a payment that turns out paid while its failure is written fails first and comes after its finish")
  func paidMeanwhile() throws {
    var (machine, order, _) = try failing()
    order.state = .paid
    #expect(machine.handle(.synced(round: machine.sync.round, [order])).told.isEmpty)
    #expect(machine.handle(.failureWritten(id)).told.map(\.transactionState) == [.failed])
    #expect(machine.book[id]?.isPaidAfterAll == true)
  }

  @Test("QUE-8: a failure whose account leaves while it is written is told when the account is back")
  func leavesMeanwhile() throws {
    var (machine, _, _) = try failing()
    let member = machine.member
    _ = machine.handle(.account(nil))
    #expect(machine.handle(.failureWritten(id)).told.isEmpty)
    _ = machine.handle(.account(member))
    #expect(machine.transactions.map(\.transactionState) == [.failed])
    #expect(machine.purchases[id] == nil)
  }

  @Test("QUE-8: a failure whose account leaves and comes back while it is written is asked about no more")
  func comesBackMeanwhile() throws {
    var (machine, _, _) = try failing()
    let member = machine.member
    _ = machine.handle(.account(nil))
    _ = machine.handle(.account(member))
    #expect(machine.purchases[id] != nil)
    #expect(machine.handle(.failureWritten(id)).told.map(\.transactionState) == [.failed])
    #expect(machine.purchases[id] == nil)
  }
}

extension [QueueEffect] {
  /// What goes to the disk.
  fileprivate var writes: [QueueEntry] {
    flatMap { effect -> [QueueEntry] in if case .disk(.write(let entries, _, _)) = effect { entries } else { [] } }
  }

  /// What observers hear was updated.
  fileprivate var told: [OnsidePaymentTransaction] {
    flatMap { effect -> [OnsidePaymentTransaction] in
      if case .tell(.updated(let transactions)) = effect { transactions } else { [] }
    }
  }
}
