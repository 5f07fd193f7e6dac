import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// Answers about a payment that are older than what a sync has told.
@Suite("Late answers about payments", .timeLimit(.minutes(5)))
struct QueueLateAnswerTests {
  private func order(_ state: OrderState.Stage) throws -> OrderMessage {
    var order = try OrderMessage.paid(QueueHarness.uuid(1))
    order.state = state
    return order
  }

  /// A payment whose screen is closed; the store is asked how it stands.
  private func checking() throws -> PurchaseMachine {
    var purchase = PurchaseMachine(country: .netherlands, isCarriedOver: false)
    _ = purchase.handle(.turn(.netherlands))
    _ = purchase.handle(.ordered(.success(try order(.open))))
    #expect(purchase.handle(.closed(.success(.closed))) == [.check])
    return purchase
  }

  @Test("QUE-21: a sync that tells of a decline has the store asked again: the answer under way may be older")
  func overtaken() throws {
    var purchase = try checking()
    let step = purchase.step
    let outcome = purchase.handle(.synced(try order(.open)))
    #expect(outcome == [.check])
    #expect(purchase.step > step, "the answer to the first question is dropped")
    let secondOutcome = purchase.handle(.told(.success(try order(.open))))
    #expect(secondOutcome == [.cancel(.user)])
    let thirdOutcome = purchase.handle(.told(.success(try order(.cancelled))))
    #expect(thirdOutcome == [.settle(.failed(.cancelled))])
  }

  @Test("QUE-21: the same while the order is being given up", arguments: [OrderState.Stage.open, .processing])
  func overtakenCancel(stage: OrderState.Stage) throws {
    var purchase = try checking()
    _ = purchase.handle(.told(.success(try order(.open))))
    #expect(purchase.phase == .cancelling)
    let step = purchase.step
    let outcome = purchase.handle(.synced(try order(stage)))
    #expect(outcome == [.cancel(.user)])
    #expect(purchase.step > step)
  }

  @Test("QUE-21: a payment declined while its answer is late ends within one sync, not when the order expires")
  func queue() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let id = QueueHarness.uuid(1)
    let payment = OnsidePayment(product: OnsideProduct(try order(.open).product))
    _ = machine.handle(
      .add(
        AddRequest(call: QueueHarness.uuid(2), payment: payment, id: id, date: FakeRules.date, provisionalCountry: nil)
      ))
    _ = machine.handle(.enlisted(id, onDisk: true))
    _ = machine.handle(.purchase(id, step: 1, .ordered(.success(try order(.open)))))
    _ = machine.handle(.purchase(id, step: 2, .closed(.success(.closed))))
    #expect(machine.purchases[id]?.phase == .checking)
    let late = try #require(machine.purchases[id]?.step)
    _ = machine.handle(.synced(round: machine.sync.round, [try order(.open)]))
    _ = machine.handle(.purchase(id, step: late, .told(.success(try order(.processing)))))
    #expect(machine.purchases[id]?.phase == .checking)
    let now = try #require(machine.purchases[id]?.step)
    _ = machine.handle(.purchase(id, step: now, .told(.success(try order(.open)))))
    #expect(machine.purchases[id]?.phase == .cancelling)
  }
}
