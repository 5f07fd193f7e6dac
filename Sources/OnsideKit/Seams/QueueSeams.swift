package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A point between two steps of a purchase at which a test may end the process.
package enum Checkpoint: String, CaseIterable, Sendable {
  /// The app has called `add`.
  case added = "sdk.added"
  /// The payment is on disk.
  case journaled = "sdk.journaled"
  /// The store has made the order.
  case ordered = "sdk.ordered"
  /// The payment screen is about to open.
  case presenting = "sdk.presenting"
  /// The outcome is known.
  case settled = "sdk.settled"
  /// The observers know the outcome.
  case delivered = "sdk.delivered"
  /// The finish is on disk.
  case finishJournaled = "sdk.finishJournaled"
  /// The store knows of the finish.
  case finishSent = "sdk.finishSent"

  #if DEBUG
    /// Ends the process at once, as a power cut would, when the environment names this point in `ONSIDE_KILL_AT`.
    func killIfAsked() {
      guard ProcessInfo.processInfo.environment["ONSIDE_KILL_AT"] == rawValue else { return }
      kill(getpid(), SIGKILL)
    }
  #endif
}

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
