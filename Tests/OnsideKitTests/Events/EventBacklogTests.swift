import Foundation
import OnsideAPI
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5))) struct EventBacklogTests {
  private func event(_ number: Int) -> EventMessage {
    EventMessage(
      id: EventID(UUID.version7(at: Date(timeIntervalSince1970: Double(number)), random: [])), name: "e\(number)",
      at: Int64(number))
  }

  private func filled(_ count: Int) -> EventBacklog {
    var backlog = EventBacklog()
    for number in 0..<count { backlog.add(event(number), to: "b\(number)") }
    return backlog
  }

  private func numbers(_ backlog: EventBacklog) -> [Int64] { backlog.batches.flatMap(\.events).map(\.at) }

  @Test("EVT-2: of 10,001 events the oldest is dropped, and the disk is told to drop it, too")
  func bounded() {
    var backlog = filled(10_000)
    _ = backlog.takeChanges()
    backlog.add(event(10_000), to: "last")
    #expect(backlog.count == 10_000 && backlog.dropped == 1)
    #expect(numbers(backlog) == Array(1...10_000))
    #expect(backlog.takeChanges().written.map(\.name) == ["b0", "last"])
    for number in 10_001...20_000 { backlog.add(event(number), to: "c\(number)") }
    #expect(numbers(backlog) == Array(10_001...20_000))
    #expect(backlog.batches.count <= 101)
    let erased = backlog.takeChanges().erased
    #expect(erased.contains("b0") && erased.count == 100)
  }

  @Test("EVT-2: a batch has at most 100 events, and none joins one that is on its way")
  func batches() {
    var backlog = filled(150)
    #expect(backlog.batches.map(\.events.count) == [100, 50])
    #expect(backlog.next()?.events.count == 100)
    #expect(backlog.next() == nil, "one at a time")
    backlog.settled()
    #expect(backlog.next()?.name == "b100")
    backlog.add(event(150), to: "new")
    #expect(backlog.batches.map(\.name) == ["b100", "new"])
    backlog.failed()
    #expect(backlog.next()?.events.count == 50, "what was sent stays as it was")
  }

  @Test("EVT-2: what earlier launches left goes first, and is not written again")
  func restored() {
    var backlog = filled(2)
    _ = backlog.takeChanges()
    backlog.restore([.init(name: "a0", events: [event(-2)]), .init(name: "a1", events: [])])
    #expect(numbers(backlog) == [-2, 0, 1] && backlog.count == 3)
    #expect(backlog.takeChanges().isEmpty)
  }

  @Test("EVT-2: what is restored beyond the limit drops the oldest")
  func restoredTooMany() {
    var backlog = filled(9_950)
    backlog.restore([.init(name: "a", events: (0..<100).map { event(-100 + $0) })])
    #expect(backlog.count == 10_000 && numbers(backlog).first == -50)
  }

  @Test("EVT-2: changes that the disk did not take are made later, for what is still there")
  func putBack() {
    var backlog = filled(150)
    let changes = backlog.takeChanges()
    _ = backlog.next()
    backlog.settled()
    backlog.putBack(changes)
    let again = backlog.takeChanges()
    #expect(again.written.map(\.name) == ["b100"] && again.erased == ["b0"])
    #expect(backlog.takeChanges().isEmpty)
  }

  @Test("EVT-2: a batch whose last event was dropped on its way is over")
  func droppedOnItsWay() {
    var backlog = filled(10_000)
    let first = backlog.next()
    for number in 0..<100 { backlog.add(event(10_000 + number), to: "c\(number)") }
    #expect(first?.name == "b0" && !backlog.batches.contains { $0.name == "b0" })
    backlog.settled()
    #expect(backlog.count == 10_000 && backlog.next()?.name == "b100")
  }
}
