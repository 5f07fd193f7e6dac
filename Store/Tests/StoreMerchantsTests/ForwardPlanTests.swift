import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct ForwardPlanTests {
  private static let events = Array(1...100)

  private func deliveries(_ faults: ForwardFaults, seed: UInt64 = 7) -> [ForwardDelivery<Int>] {
    var plan = ForwardPlan(faults, seed: seed)
    return plan.deliveries(of: Self.events)
  }

  @Test("Without faults each event has one delivery, in the order of the feed")
  func noFaults() {
    let planned = deliveries(ForwardFaults())
    #expect(planned.map(\.event) == Self.events)
    #expect(planned.allSatisfy { $0.copy == 1 && !$0.isDropped })
  }

  @Test("With twice each event has two deliveries, one after the other")
  func twice() {
    let planned = deliveries(ForwardFaults(isTwice: true))
    #expect(planned.map(\.event) == Self.events.flatMap { [$0, $0] })
    #expect(planned.map(\.copy) == Self.events.flatMap { _ in [1, 2] })
  }

  @Test("Shuffled events stay in their window, with both of their deliveries", arguments: [false, true])
  func shuffle(isTwice: Bool) {
    let (window, copies) = (5, isTwice ? 2 : 1)
    let planned = deliveries(ForwardFaults(isTwice: isTwice, window: window))
    #expect(planned.map(\.event) != planned.map(\.event).sorted())
    #expect(planned.map(\.event).sorted() == Self.events.flatMap { Array(repeating: $0, count: copies) })
    for (index, delivery) in planned.enumerated() {
      #expect(index / (window * copies) == (delivery.event - 1) / window, "event \(delivery.event) is at \(index)")
    }
  }

  @Test("A seed repeats the deliveries; another seed has others")
  func seeds() {
    let faults = ForwardFaults(isTwice: true, window: 10, droppedShare: 0.3)
    #expect(deliveries(faults, seed: 1) == deliveries(faults, seed: 1))
    #expect(deliveries(faults, seed: 1) != deliveries(faults, seed: 2))
  }

  @Test("The parts of a feed continue the choices: later events are dropped by other numbers")
  func parts() {
    var plan = ForwardPlan(ForwardFaults(droppedShare: 0.5), seed: 3)
    let parts = (0..<20).map { _ in plan.deliveries(of: [1, 2, 3]).map(\.isDropped) }
    #expect(Set(parts).count > 1)
  }

  @Test("The share of dropped events is that of the fault; none is dropped at 0, all are at 1")
  func drop() {
    var plan = ForwardPlan(ForwardFaults(isTwice: true, droppedShare: 0.1), seed: 5)
    let planned = plan.deliveries(of: Array(1...10_000))
    let dropped = planned.filter(\.isDropped)
    #expect((850...1150).contains(dropped.count), "\(dropped.count)")
    #expect(planned.count == 20_000 - dropped.count, "a dropped event has one delivery")
    let (all, none) = (deliveries(ForwardFaults(droppedShare: 1)), deliveries(ForwardFaults(droppedShare: 0)))
    #expect(all.count { $0.isDropped } == all.count)
    #expect(none.count { $0.isDropped } == 0)
  }
}
