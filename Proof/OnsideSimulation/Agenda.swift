import Foundation
import Synchronization

/// What is going to happen, by simulated time. Nothing happens by itself: the time is that of the last thing that did.
@MainActor
final class Agenda {
  /// Names what is scheduled, to cancel it.
  typealias EventID = Int

  /// The simulated time, for everybody to read.
  let clock = SimulatedClock()
  private var heap: [(due: Int, id: EventID)] = []
  private var actions: [EventID: @MainActor () -> Void] = [:]
  private var last = 0

  /// Schedules something for so many milliseconds later. Of one time, the first scheduled happens first.
  @discardableResult
  func schedule(in milliseconds: Int, _ action: @escaping @MainActor () -> Void) -> EventID {
    last += 1
    actions[last] = action
    heap.append((clock.milliseconds + max(0, milliseconds), last))
    siftUp()
    return last
  }

  func cancel(_ id: EventID) { actions[id] = nil }

  /// Lets the time pass to the next thing and makes it happen, unless that is after a moment.
  func next(until limit: Int = .max) -> Bool {
    while let first = heap.first, first.due <= limit {
      removeFirst()
      guard let action = actions.removeValue(forKey: first.id) else { continue }
      clock.advance(to: first.due)
      action()
      return true
    }
    return false
  }

  private static func precedes(_ one: (due: Int, id: EventID), _ other: (due: Int, id: EventID)) -> Bool {
    (one.due, one.id) < (other.due, other.id)
  }

  private func siftUp() {
    var child = heap.count - 1
    while child > 0, Self.precedes(heap[child], heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      guard left < heap.count else { return }
      let least = right < heap.count && Self.precedes(heap[right], heap[left]) ? right : left
      guard Self.precedes(heap[least], heap[parent]) else { return }
      heap.swapAt(least, parent)
      parent = least
    }
  }
}

/// The simulated time.
final class SimulatedClock: Sendable {
  private let passed = Mutex(0)
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// The milliseconds since the start.
  var milliseconds: Int { passed.withLock { $0 } }
  var now: Date { Self.start.addingTimeInterval(Double(milliseconds) / 1000) }

  func advance(to milliseconds: Int) { passed.withLock { $0 = max($0, milliseconds) } }
}
