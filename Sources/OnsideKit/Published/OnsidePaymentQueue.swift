/// The queue of payments: one for a process (contract, section 1.3).
///
/// Nothing is processed while there is no observer. Every callback and completion arrives on the main actor and may call
/// the queue again. From another actor, wait for the call:
/// ```swift
/// let country = await Onside.defaultPaymentQueue().storefront?.countryCode
/// ```
@preconcurrency @MainActor
public protocol OnsidePaymentQueue: AnyObject, Sendable {
  /// Asked before a transaction runs in another country than the one it was enqueued in. Held weakly.
  var delegate: (any OnsidePaymentQueueDelegate)? { get set }
  /// The account's region; `nil` while nobody is signed in.
  var storefront: OnsideStorefront? { get }
  /// The transactions that are not finished.
  var transactions: [OnsidePaymentTransaction] { get }
  /// The observers that are alive, in the order added.
  var transactionObservers: [any OnsidePaymentTransactionObserver] { get }
  /// Adds an observer, weakly; it is given every unfinished transaction once, after this call has returned.
  func add(observer: any OnsidePaymentTransactionObserver)
  /// Removes an observer. An observer may remove itself in its `deinit`, on whichever thread that runs.
  func remove(observer: any OnsidePaymentTransactionObserver)
  /// Enqueues a payment. The completion reports the pre-flight only: that the payment is on disk, or why it was not
  /// taken. What becomes of it is told to the observers.
  func add(
    _ payment: OnsidePayment,
    completion: (@MainActor (Result<Void, OnsidePaymentQueueAddProductError>) -> Void)?)
  /// Brings back what the account owns. The completion reports the pre-flight only.
  func restoreCompletedTransactions(
    completion: (@MainActor (Result<Void, OnsidePaymentQueueRequestRestoreError>) -> Void)?)
  /// Says that the app is done with a transaction. Only final states can be finished.
  func finishTransaction(_ transaction: OnsidePaymentTransaction)
  /// Gives a payment up for the user, who for example has closed the browser tab with its page and says so in the app.
  ///
  /// A transaction in `.purchasing` closes its screen and comes as `.failed` with `.cancelled`, once the store has
  /// confirmed that it will not be paid. One that is paid by then comes as `.purchased`; one whose money is on its way
  /// goes on. Transactions in a final state do not change. An addition to the published API.
  func cancel(_ transaction: OnsidePaymentTransaction)
}

extension OnsidePaymentQueue {
  /// Nothing: for queues that an app's own tests implement.
  public func cancel(_ transaction: OnsidePaymentTransaction) {}
}

/// Decides on transactions that meet another storefront (contract, section 1.3).
@preconcurrency @MainActor
public protocol OnsidePaymentQueueDelegate: AnyObject {
  /// Whether the transaction may run in the storefront given. Says yes unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool
  /// The same, for delegates that have to wait for an answer. Asks the other one unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool
  /// Whether a payment may go on that had to log the user in first. Says yes unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool
}

extension OnsidePaymentQueueDelegate {
  /// Yes.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool { true }

  /// What the synchronous one says.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool {
    let synchronous: (any OnsidePaymentQueue, OnsidePaymentTransaction, OnsideStorefront) -> Bool =
      onsidePaymentQueue(_:shouldContinue:in:)
    return synchronous(queue, transaction, storefront)
  }

  /// Yes.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool { true }
}

/// Hears of transactions (contract, section 1.3). Held weakly.
@preconcurrency @MainActor
public protocol OnsidePaymentTransactionObserver: AnyObject {
  /// Transactions came or changed. Deliver and finish those in a final state.
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
  /// The store took purchases back: their entitlements end. Each is told once on a device, finished ones too; take away
  /// what was given for its `transactionIdentifier`. One that was not finished has left the queue. An addition to the
  /// published API.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction])
  /// Somebody signed in or out, or the account's region changed.
  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue)
}

extension OnsidePaymentTransactionObserver {
  /// Nothing.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {}
  /// Nothing.
  public func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {}
  /// Nothing.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue,
    restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) {}
  /// Nothing.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {}
  /// Nothing.
  public func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {}
}
