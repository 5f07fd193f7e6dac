import Foundation

/// The observers, held weakly, and what each has still to be shown.
@MainActor
struct ObserverList {
  private struct Slot {
    weak var observer: (any OnsidePaymentTransactionObserver)?
    /// Which addition it was.
    let number: Int
    var backlog: ArraySlice<UUID> = []
  }

  private var slots: [Slot] = []

  /// Those alive, in the order added.
  var living: [any OnsidePaymentTransactionObserver] { slots.compactMap(\.observer) }

  var isEmpty: Bool { slots.allSatisfy { $0.observer == nil } }

  /// Adds one that is to be shown the transactions given; one that is there already counts once.
  mutating func add(_ observer: any OnsidePaymentTransactionObserver, number: Int, backlog: [UUID]) {
    slots.removeAll { $0.observer == nil }
    guard !slots.contains(where: { $0.observer === observer }) else { return }
    slots.append(Slot(observer: observer, number: number, backlog: backlog[...]))
  }

  mutating func remove(_ observer: any OnsidePaymentTransactionObserver) {
    slots.removeAll { $0.observer == nil || $0.observer === observer }
  }

  /// Removes an observer by its identity, unless it is a later one than the addition given.
  mutating func remove(_ identity: ObjectIdentifier, addedUpTo number: Int) {
    slots.removeAll { slot in
      slot.observer.map { ObjectIdentifier($0) == identity && slot.number <= number } ?? true
    }
  }

  /// Everybody is to be shown these transactions, and nothing else any more.
  mutating func replay(_ ids: [UUID]) {
    for index in slots.indices { slots[index].backlog = ids[...] }
  }

  /// What everybody is told now has not to be shown again.
  mutating func told(_ ids: [UUID]) {
    let told = Set(ids)
    for index in slots.indices where !slots[index].backlog.isEmpty {
      slots[index].backlog.removeAll { told.contains($0) }
    }
  }

  /// Whether somebody has still to be shown something.
  var hasBacklog: Bool { slots.contains { $0.observer != nil && !$0.backlog.isEmpty } }

  /// The next transactions of the first observer with a backlog, at most `limit`.
  mutating func next(_ limit: Int) -> (observer: any OnsidePaymentTransactionObserver, ids: [UUID])? {
    for index in slots.indices {
      guard let observer = slots[index].observer, !slots[index].backlog.isEmpty else { continue }
      let ids = Array(slots[index].backlog.prefix(limit))
      slots[index].backlog.removeFirst(ids.count)
      return (observer, ids)
    }
    return nil
  }
}
