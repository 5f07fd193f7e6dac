import Foundation

/// The events that wait for a page. What a later one makes pointless is left out, and there are only so many.
struct HeldEvents: Sendable {
  private(set) var events: [BridgeEvent] = []
  private let limit: Int
  private var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func add(_ event: BridgeEvent) {
    switch event {
    case .updated(let newer):
      withdraw(newer)
      if case .updated(let older) = events.last {
        events[events.count - 1] = .updated(older + newer)
      } else {
        events.append(event)
      }
    case .removed(let newer):
      withdraw(newer)
      if case .removed(let older) = events.last {
        events[events.count - 1] = .removed(older + newer)
      } else {
        events.append(event)
      }
    case .revoked(let newer):
      if case .revoked(let older) = events.last {
        events[events.count - 1] = .revoked(older + newer)
      } else {
        events.append(event)
      }
    case .storefrontChanged:
      events.removeAll { if case .storefrontChanged = $0 { true } else { false } }
      events.append(event)
    case .entitlementsChanged:
      events.removeAll { if case .entitlementsChanged = $0 { true } else { false } }
      events.append(event)
    case .restoreFinished, .restoreFailed: events.append(event)
    }
    size = events.reduce(0) { $0 + $1.size }
    trim()
  }

  /// Takes all of them out.
  mutating func take() -> [BridgeEvent] {
    defer {
      events = []
      size = 0
    }
    return events
  }

  /// Removes and returns all events for a page that gets every unfinished transaction: those replace the held updates,
  /// and stand before the end of a restore. A transaction of which no update is held was delivered to an earlier page:
  /// it is redelivered, as the queue does for a further observer (QUE-17).
  mutating func take(with unfinished: [OnsidePaymentTransaction]) -> [BridgeEvent] {
    let all = take()
    let undelivered = Set(
      all.flatMap { event in if case .updated(let held) = event { held.map(\.id) } else { [UUID]() } })
    let unfinished = unfinished.map { transaction in
      transaction.transactionState == .purchasing || undelivered.contains(transaction.id)
        ? transaction : transaction.redelivered
    }
    let place = all.firstIndex {
      switch $0 {
      case .updated, .restoreFinished, .restoreFailed: true
      default: false
      }
    }
    let (before, after) = (all[..<(place ?? all.endIndex)], all[(place ?? all.endIndex)...])
    let others = after.filter { if case .updated = $0 { false } else { true } }
    return before + (unfinished.isEmpty ? [] : [.updated(unfinished)]) + others
  }

  /// Leaves out what was to be told of transactions of which there is something newer to tell.
  private mutating func withdraw(_ newer: [OnsidePaymentTransaction]) {
    let ids = Set(newer.map(\.id))
    events = events.compactMap { event in
      switch event {
      case .updated(let older):
        let rest = older.filter { !ids.contains($0.id) }
        return rest.isEmpty ? nil : .updated(rest)
      case .removed(let older):
        let rest = older.filter { !ids.contains($0.id) }
        return rest.isEmpty ? nil : .removed(rest)
      default: return event
      }
    }
  }

  /// Drops the oldest. Revocations are the last to go: `getTransactions()` does not tell of finished purchases.
  private mutating func trim() {
    while size > limit, !events.isEmpty {
      let surplus = size - limit
      let oldest = events.firstIndex { if case .revoked = $0 { false } else { true } } ?? 0
      switch events[oldest] {
      case .updated(let all) where all.count > surplus: events[oldest] = .updated(Array(all.dropFirst(surplus)))
      case .removed(let all) where all.count > surplus: events[oldest] = .removed(Array(all.dropFirst(surplus)))
      case .revoked(let all) where all.count > surplus: events[oldest] = .revoked(Array(all.dropFirst(surplus)))
      default: events.remove(at: oldest)
      }
      size = events.reduce(0) { $0 + $1.size }
    }
  }
}
