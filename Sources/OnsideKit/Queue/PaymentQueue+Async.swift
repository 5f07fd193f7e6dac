import Foundation

/// The same calls for callers that wait instead of giving a completion. Additions to the published API.
extension OnsidePaymentQueue {
  /// Enqueues a payment and returns when it is on disk. What becomes of it is told to the observers.
  /// - Throws: ``OnsidePaymentQueueAddProductError``, or ``OnsidePaymentError`` for a payment that cannot be taken.
  public func add(_ payment: OnsidePayment) async throws {
    if let error = OnsidePaymentError(checking: payment) { throw error }
    try await withCheckedContinuation { continuation in
      add(payment) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Starts a restore and returns when its pre-flight is over.
  /// - Throws: ``OnsidePaymentQueueRequestRestoreError``.
  public func restoreCompletedTransactions() async throws(OnsidePaymentQueueRequestRestoreError) {
    try await withCheckedContinuation { continuation in
      restoreCompletedTransactions { continuation.resume(returning: $0) }
    }.get()
  }

  /// Transactions as they come and change, each unfinished one first. The stream is an observer as long as somebody
  /// reads it.
  public var updates: AsyncStream<OnsidePaymentTransaction> {
    AsyncStream { continuation in
      let observer = StreamObserver(continuation)
      add(observer: observer)
      // The queue holds observers weakly: this one lives as long as the stream.
      continuation.onTermination = { _ in withExtendedLifetime(observer) {} }
    }
  }
}

/// Puts what it hears into a stream.
private final class StreamObserver: OnsidePaymentTransactionObserver {
  private let continuation: AsyncStream<OnsidePaymentTransaction>.Continuation

  init(_ continuation: AsyncStream<OnsidePaymentTransaction>.Continuation) {
    self.continuation = continuation
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions { continuation.yield(transaction) }
  }
}
