import Foundation

/// Async forms of the queue's calls. Additions to the published API.
extension OnsidePaymentQueue {
  /// Enqueues a payment and returns when it is on disk. Observers get the payment's outcome.
  /// - Throws: ``OnsidePaymentQueueAddProductError`` for what the user or the gate after the login decided,
  ///   ``OnsidePaymentError`` for a payment that cannot be taken, ``OnsideFailure`` for everything else: no connection,
  ///   a full disk, a storage folder in use.
  public func add(_ payment: OnsidePayment) async throws {
    if let error = OnsidePaymentError(checking: payment) { throw error }
    guard let queue = self as? PaymentQueue else {
      return try await withCheckedContinuation { continuation in
        add(payment) { continuation.resume(returning: $0) }
      }.get()
    }
    let result = await withCheckedContinuation { continuation in
      queue.add(payment, reporting: { continuation.resume(returning: $0) })
    }
    if let error = result.error { throw error }
  }

  /// Starts a restore and returns when its pre-flight is over.
  /// - Throws: ``OnsidePaymentQueueRequestRestoreError`` when the user did not log in, ``OnsideFailure`` for any other
  ///   failure.
  public func restoreCompletedTransactions() async throws {
    guard let queue = self as? PaymentQueue else {
      return try await withCheckedContinuation { continuation in
        restoreCompletedTransactions { continuation.resume(returning: $0) }
      }.get()
    }
    let result = await withCheckedContinuation { continuation in
      queue.restore(reporting: { continuation.resume(returning: $0) })
    }
    if result == .loginDiscarded { throw OnsidePaymentQueueRequestRestoreError.loginDiscarded }
    if let error = result.error { throw error }
  }

  /// A stream of transactions: first each unfinished one, then each addition and change. The stream is an observer
  /// of the queue until it is released or its reader is cancelled.
  public var updates: AsyncStream<OnsidePaymentTransaction> {
    AsyncStream { continuation in
      let observer = StreamObserver(continuation)
      add(observer: observer)
      // The queue holds observers weakly: this one lives as long as the stream.
      continuation.onTermination = { _ in withExtendedLifetime(observer) {} }
    }
  }
}

/// An observer that yields transactions into a stream.
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
