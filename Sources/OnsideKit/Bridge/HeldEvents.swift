import Foundation

/// Events that wait for a page, without those that a later event replaces, and at most a given number. Revocations are
/// not among them: ``OnsideBridge`` has these until a page reports them as delivered.
struct HeldEvents: Sendable {
  private(set) var events: [BridgeEvent] = []
  private let limit: Int
  private var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func add(_ event: BridgeEvent) {
    if case .revoked = event { return }
    supersede(with: event)
    if let last = events.last, let both = last.merged(with: event) {
      events[events.count - 1] = both
    } else {
      events.append(event)
    }
    size = events.reduce(0) { $0 + $1.size }
    trim()
  }

  /// Drops the events that a newer one, added or sent to the page, makes pointless: older states of its transactions,
  /// and the last storefront, list of entitlements or end of a restore.
  mutating func supersede(with newer: BridgeEvent) {
    switch newer {
    case .updated(let transactions), .removed(let transactions): withdraw(transactions)
    case .revoked: break
    case .storefrontChanged, .entitlementsChanged: events.removeAll { $0.callback == newer.callback }
    case .restoreFinished, .restoreFailed: events.removeAll(where: \.isRestoreEnd)
    }
    size = events.reduce(0) { $0 + $1.size }
  }

  /// Removes and returns all events.
  mutating func take() -> [BridgeEvent] {
    defer {
      events = []
      size = 0
    }
    return events
  }

  /// Removes and returns the events of some callbacks.
  ///
  /// - Parameters:
  ///   - callbacks: the names of the callbacks for which a page has a handler.
  ///   - unfinished: every unfinished transaction, for a page that gets them now: they replace the held updates, and
  ///     come before the end of a restore. A transaction of which no update is held was delivered to an earlier page:
  ///     it is redelivered, as the queue does for a further observer (QUE-17).
  mutating func take(for callbacks: Set<String>, with unfinished: [OnsidePaymentTransaction]?) -> [BridgeEvent] {
    let all = events.filter { callbacks.contains($0.callback) }
    events.removeAll { callbacks.contains($0.callback) }
    size = events.reduce(0) { $0 + $1.size }
    guard let unfinished else { return all }
    let undelivered = Set(
      all.flatMap { event in if case .updated(let held) = event { held.map(\.id) } else { [UUID]() } })
    let transactions = unfinished.map { transaction in
      transaction.transactionState == .purchasing || undelivered.contains(transaction.id)
        ? transaction : transaction.redelivered
    }
    let place = all.firstIndex { if case .updated = $0 { true } else { $0.isRestoreEnd } } ?? all.endIndex
    let others = all[place...].filter { if case .updated = $0 { false } else { true } }
    return all[..<place] + (transactions.isEmpty ? [] : [.updated(transactions)]) + others
  }

  /// Drops the held states of transactions that a newer event has.
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

  /// Drops the oldest events.
  private mutating func trim() {
    while size > limit, !events.isEmpty {
      let surplus = size - limit
      switch events[0] {
      case .updated(let all) where all.count > surplus: events[0] = .updated(Array(all.dropFirst(surplus)))
      case .removed(let all) where all.count > surplus: events[0] = .removed(Array(all.dropFirst(surplus)))
      default: events.removeFirst()
      }
      size = events.reduce(0) { $0 + $1.size }
    }
  }
}

extension BridgeEvent {
  fileprivate var isRestoreEnd: Bool {
    switch self {
    case .restoreFinished, .restoreFailed: true
    default: false
    }
  }

  /// One event with the transactions of both; nil for events of different callbacks or without transactions.
  fileprivate func merged(with later: BridgeEvent) -> BridgeEvent? {
    switch (self, later) {
    case (.updated(let older), .updated(let newer)): .updated(older + newer)
    case (.removed(let older), .removed(let newer)): .removed(older + newer)
    default: nil
    }
  }
}
