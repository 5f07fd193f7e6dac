import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("Random walks", .timeLimit(.minutes(5)))
struct QueueWalkTests {
  @Test("QUE-5: a purchase settles at most once, and asks for nothing afterwards", arguments: 0..<40)
  func purchase(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let order = try OrderMessage.paid(QueueHarness.uuid(1))
    for _ in 0..<200 {
      var machine = PurchaseMachine(country: .netherlands, isCarriedOver: Bool.random(using: &random))
      var settled = 0
      for _ in 0..<30 {
        let effects = machine.handle(.any(order, using: &random))
        #expect(settled == 0 || effects.isEmpty)
        settled += effects.count { if case .settle = $0 { true } else { false } }
      }
      #expect(settled <= 1)
      #expect((machine.phase == .settled) == (settled == 1))
    }
  }
}

extension PurchaseMachine.Event {
  fileprivate static func any(_ order: OrderMessage, using random: inout SeededRandom) -> Self {
    var order = order
    order.state = [.open, .processing, .paid, .cancelled].randomElement(using: &random) ?? .open
    let error = [StoreError.connection, .notFound, .refused(.productNotAvailable), .storefrontChanged(.unitedStates)]
    let result: Result<OrderMessage, StoreError> =
      Bool.random(using: &random) ? .success(order) : .failure(error.randomElement(using: &random) ?? .connection)
    let region = [CountryCode.netherlands, .unitedStates].randomElement(using: &random) ?? .netherlands
    let ends: [Result<PaymentScreenEnd, StoreError>] = [
      .success(.closed), .success(.returned), .success(.unseen), .failure(.presentationFailed),
    ]
    let events: [Self] = [
      .turn(region), .answered([.goOn, .stop, .askAgain].randomElement(using: &random) ?? .stop, region),
      .ordered(result), .closed(ends.randomElement(using: &random) ?? .success(.closed)), .told(result),
      .synced(order), .again, .wantedAgain, .givenUp,
    ]
    return events.randomElement(using: &random) ?? .again
  }
}
