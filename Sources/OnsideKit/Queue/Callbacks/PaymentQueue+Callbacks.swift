import Foundation

/// An observer that reports with ``PaymentQueue/revocationsDelivered(_:)`` that the app has handled a revocation, after
/// its callback has returned. Until then each launch delivers the revocation again. The callback of any other observer
/// counts as delivery.
protocol RevocationReporter: OnsidePaymentTransactionObserver {}

/// The one place from which observers and completions are called.
extension PaymentQueue {
  func make(_ callback: QueueCallback) {
    switch callback {
    case .completed(let call, let result):
      let trouble = result == .notStored ? disk?.trouble : nil
      calls.removeValue(forKey: call)?(trouble.map(QueueCallResult.storageFailed) ?? result)
    case .updated(let transactions):
      let isSettled = transactions.contains { $0.transactionState != .purchasing }
      if isSettled { checkpoint(.settled) }
      guard !isClosed else { return }
      note(callback)
      observers.told(transactions.map(\.id))
      for observer in observers.living { observer.onsidePaymentQueue(self, updatedTransactions: transactions) }
      if isSettled { checkpoint(.delivered) }
    case .removed(let transactions):
      note(callback)
      for observer in observers.living { observer.onsidePaymentQueue(self, removedTransactions: transactions) }
    case .revoked(let transactions):
      note(callback)
      let living = observers.living
      for observer in living { observer.onsidePaymentQueue(self, revokedTransactions: transactions) }
      if living.contains(where: { !($0 is any RevocationReporter) }) { revocationsDelivered(transactions.map(\.id)) }
    case .storefrontChanged:
      for observer in observers.living { observer.onsidePaymentQueueDidChangeStorefront(self) }
    case .restoreFinished:
      for observer in observers.living { observer.onsidePaymentQueueRestoreCompletedTransactionsFinished(self) }
    case .restoreFailed(let error):
      for observer in observers.living {
        observer.onsidePaymentQueue(self, restoreCompletedTransactionsFailedWithError: error)
      }
    }
  }

  /// Records revocations as delivered: no later launch delivers them.
  func revocationsDelivered(_ ids: [UUID]) { if !ids.isEmpty { send(.revocationsTold(ids)) } }
}

/// The queue's observers, held weakly, each with a backlog of transactions that it was not given yet.
@MainActor
struct ObserverList {
  private struct Slot {
    weak var observer: (any OnsidePaymentTransactionObserver)?
    /// The number of its addition, counted over the queue's life.
    let number: Int
    var backlog: ArraySlice<UUID> = []
  }

  private var slots: [Slot] = []

  /// The observers that are alive, in the order added.
  var living: [any OnsidePaymentTransactionObserver] { slots.compactMap(\.observer) }

  var isEmpty: Bool { slots.allSatisfy { $0.observer == nil } }

  /// Adds an observer with its backlog; one that is in the list already is not added again.
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

  /// Replaces the backlog of every observer.
  mutating func replay(_ ids: [UUID]) {
    for index in slots.indices { slots[index].backlog = ids[...] }
  }

  /// Removes transactions from every backlog that all observers are given now.
  mutating func told(_ ids: [UUID]) {
    let told = Set(ids)
    for index in slots.indices where !slots[index].backlog.isEmpty {
      slots[index].backlog.removeAll { told.contains($0) }
    }
  }

  /// Whether an observer has a backlog.
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
