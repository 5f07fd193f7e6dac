import Foundation
import Synchronization

/// What is going to happen, by simulated time. Nothing happens by itself: the time is that of the last thing that did.
@MainActor
final class Agenda {
  /// Something planned, to be taken back.
  typealias Plan = Int

  /// The simulated time, for everybody to read.
  let clock = SimulatedClock()
  private var heap: [(due: Int, plan: Plan)] = []
  private var actions: [Plan: @MainActor () -> Void] = [:]
  private var last = 0

  /// Plans something for so many milliseconds later. What is due at one time happens in the order planned.
  @discardableResult
  func plan(in milliseconds: Int, _ action: @escaping @MainActor () -> Void) -> Plan {
    last += 1
    actions[last] = action
    heap.append((clock.milliseconds + max(0, milliseconds), last))
    siftUp()
    return last
  }

  func cancel(_ plan: Plan) { actions[plan] = nil }

  /// Lets the time pass to the next thing and makes it happen, unless that is after a moment.
  func next(until limit: Int = .max) -> Bool {
    while let first = heap.first, first.due <= limit {
      removeFirst()
      guard let action = actions.removeValue(forKey: first.plan) else { continue }
      clock.advance(to: first.due)
      action()
      return true
    }
    return false
  }

  private static func precedes(_ one: (due: Int, plan: Plan), _ other: (due: Int, plan: Plan)) -> Bool {
    (one.due, one.plan) < (other.due, other.plan)
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
