package import Foundation

/// A note of a step of a payment queue. The test kit records a transaction's history with it.
package enum QueueNote: Sendable {
  /// A payment was added at that moment, and is on disk.
  case stored(UUID, OnsidePayment, added: Date)
  /// Observers were given the transaction.
  case delivered(OnsidePaymentTransaction, observers: Int)
  /// The transaction left the queue: finished here or elsewhere, or its account logged out.
  case removed(OnsidePaymentTransaction)
  /// Observers were told that the purchase was refunded or revoked.
  case revoked(OnsidePaymentTransaction)
}

extension PaymentQueue {
  /// Reports an event, before the machine handles it.
  func note(_ event: QueueEvent) {
    guard let onNote, case .enlisted(let id, onDisk: true) = event, let entry = machine.enlisting[id]?.entry
    else { return }
    onNote(.stored(id, entry.payment, added: entry.date))
  }

  /// Reports a callback, before observers are called.
  func note(_ callback: QueueCallback) {
    guard let onNote else { return }
    switch callback {
    case .updated(let transactions): noteDelivery(of: transactions, to: observers.living.count)
    case .removed(let transactions): for transaction in transactions { onNote(.removed(transaction)) }
    case .revoked(let transactions): for transaction in transactions { onNote(.revoked(transaction)) }
    case .completed, .storefrontChanged, .restoreFinished, .restoreFailed: break
    }
  }

  func noteDelivery(of transactions: [OnsidePaymentTransaction], to observers: Int) {
    guard let onNote else { return }
    for transaction in transactions { onNote(.delivered(transaction, observers: observers)) }
  }
}
