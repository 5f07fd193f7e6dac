/// The payment queue: buys products, restores purchases and delivers transactions to observers (contract, section 1.3).
///
/// There is one in a process, ``Onside/defaultPaymentQueue()``. Add an observer at launch; while there is none,
/// payments and restores are accepted and wait, which logs one warning (QUE-1). A purchase takes these steps:
///
/// 1. ``add(_:completion:)`` logs in if necessary, writes the payment to disk and completes.
/// 2. Observers are called with the transaction in `.purchasing`, and the payment screen opens when its turn comes.
/// 3. Observers are called with `.purchased`, or `.failed` with an error. Only the store's own answer about the order
///    decides which; a redirect does not (QUE-9).
/// 4. The app delivers what was bought and calls ``finishTransaction(_:)``. Until then the transaction comes back at
///    every launch.
///
/// Each transaction is a file in the storage folder. After a crash at any point a paid order comes back as
/// `.purchased`; an unpaid one fails with `.cancelled` or continues; none is paid twice or lost (QUE-8).
///
/// The class in <doc:GettingStarted> is an observer that delivers each ``OnsidePaymentTransaction/id`` once, and takes
/// back only what it has delivered.
///
/// Every callback and completion is called on the main actor, once, and may call the queue again (QUE-4). From another
/// actor, wait for the call:
///
/// ```swift
/// let country = await Onside.defaultPaymentQueue().storefront?.countryCode
/// ```
@preconcurrency @MainActor
public protocol OnsidePaymentQueue: AnyObject, Sendable {
  /// The delegate that decides whether a transaction continues in another country or after a login; `nil` by default,
  /// which lets every transaction continue. Held weakly: the app keeps it alive.
  var delegate: (any OnsidePaymentQueueDelegate)? { get set }
  /// The region of the logged-in account; `nil` exactly while no account is logged in.
  ///
  /// With a stored session it has a value as soon as `initialize` returns, without the network (ACC-16). Observers are
  /// called with `onsidePaymentQueueDidChangeStorefront` when it changes: at a login, a logout, or a move of the
  /// account to another country (STF-4).
  var storefront: OnsideStorefront? { get }
  /// The unfinished transactions of the logged-in account, oldest first; empty while no account is logged in.
  ///
  /// A transaction is here from the moment it is on disk until it is finished, also after a restart, once the disk has
  /// been read. A consumable that another device of the account may deliver is not (QUE-22).
  var transactions: [OnsidePaymentTransaction] { get }
  /// The observers that are alive, in the order in which they were added. Observers are called in this order.
  var transactionObservers: [any OnsidePaymentTransactionObserver] { get }
  /// Adds an observer of transactions. Held weakly: the app keeps it alive. Adding one twice counts once (QUE-2).
  ///
  /// The queue works as soon as there is an observer. After this call has returned, the new observer is given every
  /// unfinished transaction once, in `updatedTransactions`, at most 100 in one call (QUE-3).
  ///
  /// - Parameter observer: the observer. It may be added before the first login.
  func add(observer: any OnsidePaymentTransactionObserver)
  /// Removes an observer: it is not called any more. Without any observer the queue starts nothing new.
  ///
  /// An observer may remove itself in its `deinit`, on any thread (API-1); one that is released without it is
  /// forgotten, too.
  ///
  /// - Parameter observer: the observer; nothing happens when it was not added.
  func remove(observer: any OnsidePaymentTransactionObserver)
  /// Adds a payment for a product; logs the user in first if necessary. The `async` form ``add(_:)`` throws the reason
  /// of a failure.
  ///
  /// The completion reports the pre-flight only: `.success` means that the transaction is on disk (QUE-7), never that
  /// it is paid. Observers get the transaction in `.purchasing` afterwards, and later its outcome (QUE-5). Payments of
  /// one product run one at a time, in the order in which they were added (QUE-11). Where the product was fetched for
  /// another country than the account's, the delegate is asked first (GAT-1).
  ///
  /// A second payment for the same product, quantity, token and offer joins the first while that waits for its turn or
  /// for the user to pay: it shows the page again and is not a second order (QUE-10, QUE-24). Buying a non-consumable
  /// that the account owns gives the existing purchase without a charge.
  ///
  /// ```swift
  /// Onside.defaultPaymentQueue().add(OnsidePayment(product: product)) { result in
  ///   switch result {
  ///   case .success: print("on its way")
  ///   case .failure(.loginDiscarded): print("not logged in")
  ///   case .failure(.rejectedAfterLogin): print("rejected")
  ///   @unknown default: print("not taken")
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - payment: the product, as a products request returned it, and optionally the quantity and the app's token for
  ///     its user.
  ///   - completion: called once, on the main actor, possibly before this function returns; not called when the process
  ///     ends before. `.loginDiscarded`: there was no login, for whatever reason. `.rejectedAfterLogin`: the delegate's
  ///     gate after the login refused, the token is longer than 512 bytes, the product is not sold in the quantity, or
  ///     the disk did not take the payment. In each case nothing was enqueued.
  func add(
    _ payment: OnsidePayment,
    completion: (@MainActor (Result<Void, OnsidePaymentQueueAddProductError>) -> Void)?)
  /// Restores what the account owns, for a new device or after a reinstallation; logs the user in first if necessary.
  ///
  /// Non-consumables and active subscriptions come as `.restored` transactions, consumables do not (RST-1). The
  /// completion comes first, then observers get the transactions in `updatedTransactions`, then exactly one of
  /// `onsidePaymentQueueRestoreCompletedTransactionsFinished` and `restoreCompletedTransactionsFailedWithError`
  /// (RST-2). Deliver and finish each transaction as after a purchase. A restore during another one joins it; restoring
  /// again delivers again (RST-3). The `async` form ``restoreCompletedTransactions()`` throws the reason of a failure.
  ///
  /// ```swift
  /// Onside.defaultPaymentQueue().restoreCompletedTransactions { result in
  ///   if case .failure(let error) = result { print(error == .loginDiscarded) }
  /// }
  /// ```
  ///
  /// - Parameter completion: called once, on the main actor, possibly before this function returns. `.success` means
  ///   that the restore was accepted, not that it is over; `.loginDiscarded` that there was no login, for whatever
  ///   reason.
  func restoreCompletedTransactions(
    completion: (@MainActor (Result<Void, OnsidePaymentQueueRequestRestoreError>) -> Void)?)
  /// Finishes a transaction: the app has delivered it, or has taken note of its failure. It may be called in an
  /// observer.
  ///
  /// Call it for every `.purchased`, `.restored` and `.failed` transaction, after what was bought is stored. The
  /// transaction leaves ``transactions`` at once. The finish is written to disk, then observers are called with
  /// `removedTransactions`, then the store is told, with retries over restarts (QUE-12). A finished transaction is
  /// never delivered again, on any device of the account (QUE-13); only a restore returns it.
  ///
  /// - Parameter transaction: any snapshot of it; its `id` counts. In `.purchasing`, a payment that waits without an
  ///   order is withdrawn; any other one continues: use ``cancel(_:)``. For a finished one nothing happens.
  func finishTransaction(_ transaction: OnsidePaymentTransaction)
  /// Cancels a payment in `.purchasing` for the user, who for example has closed the browser tab with its page.
  ///
  /// Its screen is closed. The transaction becomes `.failed` with `.cancelled` once the store has confirmed that it
  /// will not be paid, and `.purchased` if it is paid by then (QUE-24). One whose payment the store is still processing
  /// continues. Transactions in a final state do not change. An addition to the published API.
  ///
  /// - Parameter transaction: any snapshot of it; its `id` counts.
  func cancel(_ transaction: OnsidePaymentTransaction)
}

extension OnsidePaymentQueue {
  /// Does nothing: for queues that an app's own tests implement.
  public func cancel(_ transaction: OnsidePaymentTransaction) {}
}

/// The gates of the payment queue: decide whether a transaction continues in another country or after a login
/// (contract, section 1.3).
///
/// Set it as ``OnsidePaymentQueue/delegate``. Every method has a default that lets the transaction continue.
///
/// ```swift
/// @MainActor
/// final class AskingGateDelegate: OnsidePaymentQueueDelegate {
///   func onsidePaymentQueue(
///     _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
///     in storefront: OnsideStorefront
///   ) async -> Bool { await ask("Buy in \(storefront.countryCode)?") }
/// }
/// ```
@preconcurrency @MainActor
public protocol OnsidePaymentQueueDelegate: AnyObject {
  /// The storefront gate: whether a transaction may run in another country than the one its product was fetched for.
  ///
  /// It is called before the order is made, only when the countries differ (GAT-1), and for each further change. With
  /// `true` the order is made at the price of the storefront given, which the payment screen shows before anything is
  /// charged (GAT-4). With `false` the transaction leaves the queue with `removedTransactions`; it is not `.failed` and
  /// nothing is charged (GAT-3). The queue calls the `async` method of the same name, whose default calls this one.
  ///
  /// - Parameters:
  ///   - queue: the queue.
  ///   - transaction: the transaction, with the product and price as fetched, and that country in its `storefront`.
  ///   - storefront: the storefront in which it would run: the account's.
  /// - Returns: whether it may run. `true` unless implemented.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool
  /// The storefront gate for delegates that wait for an answer, for example of the user. Calls the synchronous method
  /// unless implemented (GAT-2).
  ///
  /// Other payments wait meanwhile. A delegate that is released before it has answered has not agreed: the transaction
  /// is removed. When another delegate was set meanwhile, that one is asked; when the country changed again, the
  /// question is asked again (GAT-5).
  ///
  /// - Parameters:
  ///   - queue: the queue.
  ///   - transaction: the transaction, with the product and price as fetched.
  ///   - storefront: the storefront in which it would run.
  /// - Returns: whether it may run.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool
  /// The gate after a login: whether a payment continues for which the user had to log in first. Returns `true` unless
  /// implemented.
  ///
  /// It is called after the login has succeeded and observers know the storefront, before the payment is on disk. With
  /// `false` nothing is enqueued and the completion of ``OnsidePaymentQueue/add(_:completion:)`` gets
  /// `.rejectedAfterLogin` (GAT-6). Use it, for example, when the account that logged in owns the product already.
  ///
  /// - Parameters:
  ///   - queue: the queue, with the account's ``OnsidePaymentQueue/storefront``.
  ///   - transaction: the transaction as it would be enqueued; no observer has seen it.
  /// - Returns: whether the payment is enqueued.
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

/// An observer of the payment queue: gets new, changed, removed and refunded transactions (contract, section 1.3).
///
/// Add it with ``OnsidePaymentQueue/add(observer:)`` at launch and keep it: the queue holds it weakly. Only
/// `updatedTransactions` has no default; implement `revokedTransactions`, too, to take back what was refunded. Methods
/// are called on the main actor and may call the queue again. See ``OnsidePaymentQueue`` for a sample.
@preconcurrency @MainActor
public protocol OnsidePaymentTransactionObserver: AnyObject {
  /// Transactions were added or have changed. Deliver those in `.purchased` or `.restored`, then finish every final
  /// one.
  ///
  /// It is called for the steps of a purchase (`.purchasing`, then one final state), for purchases made elsewhere and
  /// renewals (QUE-16), for restored purchases, and for each unfinished transaction after a restart, a login or the
  /// addition of the observer. ``OnsidePaymentTransaction/deliveryReason`` tells these apart (QUE-17). An unfinished
  /// transaction may be delivered again, for example when the app crashed between delivery and finish: deliver each
  /// ``OnsidePaymentTransaction/id`` once.
  ///
  /// - Parameters:
  ///   - queue: the queue; finishing in this call is allowed.
  ///   - transactions: snapshots, each transaction once.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction])
  /// Transactions have left the queue: finished here or on another device, refused by the storefront gate, refunded, or
  /// of an account that has logged out. It says nothing about payment: take nothing back for it.
  ///
  /// - Parameters:
  ///   - queue: the queue, whose ``OnsidePaymentQueue/transactions`` is without them.
  ///   - transactions: the last snapshot of each.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction])
  /// A restore is over: all restored transactions were delivered before this call; none, when the account owns nothing.
  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue)
  /// A restore that was accepted has failed, or was cancelled by a logout.
  ///
  /// - Parameters:
  ///   - queue: the queue.
  ///   - error: the reason. After `.connectionError` and `.serviceUnavailable` the user may try again later.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue,
    restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError)
  /// Purchases were refunded or revoked: their entitlements end, and the app takes the goods back. An addition to the
  /// published API.
  ///
  /// Each is reported once on a device, also over restarts, and within one sync of a running app; finished purchases
  /// are reported, too (QUE-19). A purchase that was not finished has left the queue before, with
  /// `removedTransactions`. If the process ends during this call, the next launch repeats it.
  ///
  /// - Parameters:
  ///   - queue: the queue.
  ///   - transactions: the purchases; ``OnsidePaymentTransaction/transactionIdentifier`` names what was delivered, and
  ///     ``OnsidePaymentTransaction/revocationDate`` says since when it is taken back.
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction])
  /// The account logged in or out, or its region changed: ``OnsidePaymentQueue/storefront`` has the new value (STF-4).
  /// Load products again, since prices and availability depend on the country.
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
