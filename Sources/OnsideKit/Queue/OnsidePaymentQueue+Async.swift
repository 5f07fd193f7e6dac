import Foundation

/// The queue's calls in their `async` forms. Additions to the published API.
extension OnsidePaymentQueue {
  /// Adds a payment and returns when it is on disk; logs the user in first if necessary. It does not wait for the
  /// payment: observers get the outcome, as with ``add(_:completion:)``.
  ///
  /// ```swift
  /// let response = try await Onside.products(for: ["coins_100"])
  /// if let coins = response.products.first {
  ///   try await Onside.defaultPaymentQueue().add(OnsidePayment(product: coins))
  /// }
  /// ```
  ///
  /// Cancelling the task changes nothing: ``cancel(_:)`` cancels a payment.
  ///
  /// - Parameter payment: the product, and optionally the quantity and the app's token for its user.
  /// - Throws: ``OnsidePaymentQueueAddProductError`` for what the user or the gate after the login decided,
  ///   ``OnsidePaymentError`` for a payment that cannot be taken, ``OnsideFailure`` for everything else: no connection,
  ///   a full disk, a storage folder in use. In each case nothing was enqueued.
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

  /// Starts a restore and returns when it was accepted, before the transactions arrive; logs the user in first if
  /// necessary.
  ///
  /// Observers get the transactions, then the end or a failure, as with ``restoreCompletedTransactions(completion:)``.
  ///
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

  /// A stream of transactions: first each unfinished one, then each addition and change; an observer as an
  /// `AsyncStream`.
  ///
  /// Read it in a task that lives as long as the app. The stream is an observer of the queue until it is released or
  /// its reader is cancelled. A refunded or revoked purchase comes once, in the state `.purchased` with its
  /// `revocationDate` (QUE-19): check the date first. If the process ends before it was read, no later launch delivers
  /// it; an ``OnsidePaymentTransactionObserver`` has no such gap. Removals and ends of restores come to ``events``.
  ///
  /// ```swift
  /// for await transaction in Onside.defaultPaymentQueue().updates {
  ///   switch transaction.transactionState {
  ///   case _ where transaction.revocationDate != nil: takeBack(transaction)
  ///   case .purchased, .restored:
  ///     deliver(transaction)
  ///     Onside.defaultPaymentQueue().finishTransaction(transaction)
  ///   case .failed: Onside.defaultPaymentQueue().finishTransaction(transaction)
  ///   case .purchasing: break
  ///   }
  /// }
  /// ```
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

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions { continuation.yield(transaction) }
  }
}
