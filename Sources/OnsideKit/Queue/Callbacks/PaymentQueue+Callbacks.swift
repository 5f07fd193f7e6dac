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

  /// Passes the checkpoints that an event stands for.
  func pass(_ event: QueueEvent) {
    switch event {
    case .enlisted(_, onDisk: true): checkpoint(.journaled)
    case .purchase(_, _, .ordered(.success)): checkpoint(.ordered)
    case .finishWritten(_, onDisk: true, _): checkpoint(.finishJournaled)
    case .finishAnswered(_, _, nil): checkpoint(.finishSent)
    default: break
    }
  }
}
