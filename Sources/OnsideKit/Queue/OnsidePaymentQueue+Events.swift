/// Everything that observers hear, as a stream. An addition to the published API.
extension OnsidePaymentQueue {
  /// A stream of everything that an observer is told: an ``OnsidePaymentTransactionObserver`` as an `AsyncStream`.
  ///
  /// It begins with the unfinished transactions, as for an observer that was just added. Each access makes a stream of
  /// its own, and each gets every event: read one stream in one place.
  ///
  /// ```swift
  /// for await event in Onside.defaultPaymentQueue().events {
  ///   switch event.kind {
  ///   case .updated:
  ///     for transaction in event.transactions where transaction.transactionState != .purchasing {
  ///       if transaction.transactionState != .failed { deliver(transaction) }
  ///       Onside.defaultPaymentQueue().finishTransaction(transaction)
  ///     }
  ///   case .revoked: event.transactions.forEach(takeBack)
  ///   default: break
  ///   }
  /// }
  /// ```
  ///
  /// Read it in a task that lives as long as the app. The stream is an observer of the queue from this access until it
  /// is released or its reader is cancelled. Events that are not read yet wait in memory, without a limit. They are not
  /// on disk: if the process ends before a refund was read, no later launch tells it. An observer has no such gap.
  public var events: AsyncStream<OnsidePaymentQueueEvent> {
    AsyncStream { continuation in
      let observer = EventObserver(continuation)
      add(observer: observer)
      // The queue holds observers weakly: this one lives as long as the stream.
      continuation.onTermination = { _ in withExtendedLifetime(observer) {} }
    }
  }
}

/// An observer that yields what it is told into a stream.
private final class EventObserver: OnsidePaymentTransactionObserver {
  private let continuation: AsyncStream<OnsidePaymentQueueEvent>.Continuation

  init(_ continuation: AsyncStream<OnsidePaymentQueueEvent>.Continuation) { self.continuation = continuation }

  private func yield(_ event: OnsidePaymentQueueEvent) { continuation.yield(event) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) { yield(OnsidePaymentQueueEvent(.updated, transactions: transactions)) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) { yield(OnsidePaymentQueueEvent(.removed, transactions: transactions)) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) { yield(OnsidePaymentQueueEvent(.revoked, transactions: transactions)) }

  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {
    yield(OnsidePaymentQueueEvent(.restoreFinished))
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) { yield(OnsidePaymentQueueEvent(.restoreFailed, restoreError: error)) }

  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    yield(OnsidePaymentQueueEvent(.storefrontChanged, storefront: queue.storefront))
  }
}
