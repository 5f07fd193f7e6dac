import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("Purchase machine")
struct PurchaseMachineTests {
  @Test("QUE-24: cancel of a payment of an earlier launch cancels its open order, also after it was added again")
  func cancelAfterLaunch() throws {
    var order = try OrderMessage.paid(QueueHarness.uuid(1))
    order.state = .open
    var machine = PurchaseMachine(country: .netherlands, isCarriedOver: true)
    #expect(machine.handle(.turn(.netherlands)) == [.check])
    #expect(machine.handle(.told(.success(order))) == [.cancel(.screenClosed)])
    #expect(machine.handle(.told(.success(order))).isEmpty && machine.phase == .left)
    #expect(machine.handle(.wantedAgain).isEmpty && machine.phase == .waiting)
    #expect(machine.handle(.givenUp) == [.cancel(.user)])
  }

  @Test("QUE-24: cancel of a payment whose turn has not come settles it without the store")
  func cancelBeforeOrder() {
    var machine = PurchaseMachine(country: .netherlands, isCarriedOver: false)
    #expect(machine.handle(.givenUp) == [.settle(.failed(.cancelled))])
  }
}
