/// The queue of payments: one for a process (contract, section 1.3).
///
/// Nothing is processed while there is no observer. Every callback and completion is called on the main actor and may
/// call the queue again. From another actor, wait for the call:
/// ```swift
/// let country = await Onside.defaultPaymentQueue().storefront?.countryCode
/// ```
@preconcurrency @MainActor
public protocol OnsidePaymentQueue: AnyObject, Sendable {
  /// Asked before a transaction runs in another country than the one it was enqueued in. Held weakly.
  var delegate: (any OnsidePaymentQueueDelegate)? { get set }
  /// The account's region; `nil` while signed out.
  var storefront: OnsideStorefront? { get }
  /// The transactions that are not finished.
  var transactions: [OnsidePaymentTransaction] { get }
  /// The observers that are alive, in the order added.
  var transactionObservers: [any OnsidePaymentTransactionObserver] { get }
  /// Adds an observer, weakly; it is given every unfinished transaction once, after this call has returned.
  func add(observer: any OnsidePaymentTransactionObserver)
  /// Removes an observer. An observer may remove itself in its `deinit`, on any thread.
  func remove(observer: any OnsidePaymentTransactionObserver)
  /// Enqueues a payment. The completion reports the pre-flight only: that the payment is on disk, or why it was not
  /// taken. Observers get the payment's outcome.
  func add(
    _ payment: OnsidePayment,
    completion: (@MainActor (Result<Void, OnsidePaymentQueueAddProductError>) -> Void)?)
  /// Brings back what the account owns. The completion reports the pre-flight only.
  func restoreCompletedTransactions(
    completion: (@MainActor (Result<Void, OnsidePaymentQueueRequestRestoreError>) -> Void)?)
  /// Says that the app is done with a transaction. Only final states can be finished.
  func finishTransaction(_ transaction: OnsidePaymentTransaction)
  /// Cancels a payment for the user, who for example has closed the browser tab with its page and says so in the app.
  ///
  /// The screen of a transaction in `.purchasing` is closed. The transaction becomes `.failed` with `.cancelled` once
  /// the store has confirmed that it will not be paid, and `.purchased` if it is paid by then. One whose payment the
  /// store is still processing goes on. Transactions in a final state do not change. An addition to the published API.
  func cancel(_ transaction: OnsidePaymentTransaction)
}

extension OnsidePaymentQueue {
  /// Does nothing: for queues that an app's own tests implement.
  public func cancel(_ transaction: OnsidePaymentTransaction) {}
}

/// Decides whether transactions go on in another storefront (contract, section 1.3).
@preconcurrency @MainActor
public protocol OnsidePaymentQueueDelegate: AnyObject {
  /// Whether the transaction may run in the storefront given. Returns `true` unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool
  /// The same, for delegates that have to wait for an answer. Calls the synchronous one unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool
  /// Whether a payment may go on that had to log the user in first. Returns `true` unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool
}

extension OnsidePaymentQueueDelegate {
  /// Returns `true`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool { true }

  /// Calls the synchronous one.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool {
    let synchronous: (any OnsidePaymentQueue, OnsidePaymentTransaction, OnsideStorefront) -> Bool =
      onsidePaymentQueue(_:shouldContinue:in:)
    return synchronous(queue, transaction, storefront)
  }

  /// Returns `true`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool { true }
}

/// An observer of transactions (contract, section 1.3). Held weakly.
@preconcurrency @MainActor
public protocol OnsidePaymentTransactionObserver: AnyObject {
  /// Transactions were added or changed. Deliver and finish those in a final state.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction])
  /// Transactions left the queue.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction])
  /// A restore has delivered everything.
  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue)
  /// A restore failed.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue,
    restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError)
  /// Purchases were refunded or revoked: their entitlements end. Each is reported once on a device, finished ones too;
  /// take away the goods of its `transactionIdentifier`. One that was not finished has left the queue. An addition to
  /// the published API.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction])
  /// The user signed in or out, or the account's region changed.
  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue)
}

extension OnsidePaymentTransactionObserver {
  /// Does nothing.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {}
  /// Does nothing.
  public func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {}
  /// Does nothing.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue,
    restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) {}
  /// Does nothing.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {}
  /// Does nothing.
  public func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {}
}
