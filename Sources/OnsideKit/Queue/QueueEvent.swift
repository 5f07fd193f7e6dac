import Foundation
import OnsideAPI
import OnsideCommerce

/// A call of the app that waits for its pre-flight.
typealias CallID = UUID

/// The signed-in account, and its storefront with the opaque id of this launch.
struct Member: Hashable, Sendable {
  let signedIn: SignedIn
  let storefront: OnsideStorefront
}

/// An input of the queue's state machine. Indirect, as events carry whole transactions and are passed on often.
indirect enum QueueEvent: Sendable {
  // From the app.
  case observersChanged(hasAny: Bool)
  case add(AddRequest)
  case restore(CallID)
  case finish(UUID)
  case cancel(UUID)
  // From the account.
  case account(Member?)
  case loginEnded(CallID, Result<SignInEffort, LoginFailure>, Member?)
  case afterLoginAnswered(CallID, Bool)
  /// The session of an account that has logged out is about to be ended at the store.
  case parting(AccountID)
  // From the disk.
  case loaded([AccountID: TransactionBook])
  case loadFailed(failures: Int)
  /// Another process, or another queue of this one, uses the storage folder.
  case folderInUse
  case enlisted(UUID, onDisk: Bool)
  /// A failure is on the disk, or cannot be put there.
  case failureWritten(UUID)
  case finishWritten(QueueEntry, onDisk: Bool, attempt: Int)
  /// Refunds are on the disk.
  case revocationsWritten([UUID], AccountID)
  /// Refunds, or the note that the app was told of them, cannot be put on the disk.
  case revocationsNotWritten([UUID], AccountID, attempt: Int)
  /// Observers were told of refunds.
  case revocationsTold([UUID])
  // From the store, the screen and the delegate.
  case purchase(UUID, step: Int, PurchaseMachine.Event)
  case synced(round: Int, [OrderMessage])
  case syncEnded(round: Int, Result<SyncEnd, StoreError>)
  case restored(round: Int, [OrderMessage])
  case restoreEnded(round: Int, StoreError?)
  case finishAnswered(UUID, round: Int, StoreError?)
  // Pauses that are over.
  case loadAgain(failures: Int)
  case syncAgain(round: Int)
  case finishAgain(round: Int)
  case writeFinishAgain(QueueEntry, attempt: Int)
  case writeRevocationsAgain([UUID], AccountID, attempt: Int)
}

/// A payment to add, with the values that are made outside of the machine.
struct AddRequest: Hashable, Sendable {
  /// The call that waits for the pre-flight.
  let call: CallID
  let payment: OnsidePayment
  /// The id of the transaction that it becomes.
  let id: UUID
  let date: Date
  /// The region in which products are shown while signed out; nil when an account is signed in.
  let provisionalCountry: CountryCode?

  /// The region in which the product was fetched, whatever account is signed in (GAT-1); nil for a product without a
  /// country.
  var fetchedCountry: CountryCode? { payment.product.storefrontCountryCode.flatMap(CountryCode.init(alpha2:)) }
  /// The region whose price the user has seen before a login on demand.
  var shownCountry: CountryCode? { fetchedCountry ?? provisionalCountry }
}

/// The end of a sync: its cursor and the account's region at the store.
struct SyncEnd: Hashable, Sendable {
  let cursor: String
  let country: CountryCode
  /// Whether it brought nothing new.
  let isEmpty: Bool
  /// Whether it was asked for everything, not for what changed.
  var startedOver = false
}

/// An output of the queue's state machine: work that the queue performs. Indirect for the same reason.
indirect enum QueueEffect: Sendable {
  // The disk, in this order.
  case load(failures: Int)
  case write([QueueEntry], then: QueueEvent? = nil, otherwise: QueueEvent? = nil)
  case erase([UUID], then: QueueEvent? = nil, otherwise: QueueEvent? = nil)
  case saveCursor(AccountID, String?)
  // The account.
  case signIn(CallID)
  case regionLearned(CountryCode, SignedIn)
  case sessionEnded
  // The delegate.
  case askAfterLogin(CallID, OnsidePaymentTransaction)
  case askStorefront(UUID, step: Int, OnsidePaymentTransaction, CountryCode)
  // The store and the screens.
  case order(UUID, step: Int, OrderRequest)
  case present(UUID, step: Int, OrderMessage)
  case closeScreen(UUID)
  /// Shows the open payment screen to the user again.
  case bringBack(UUID)
  case check(UUID, step: Int)
  case cancel(UUID, step: Int, CancelReason)
  case claim(UUID, step: Int)
  case finish(UUID, of: AccountID, round: Int)
  /// No finish is left to be sent for an account that has logged out: its session may be ended.
  case parted(AccountID)
  case sync(round: Int, cursor: String?)
  case stopSync
  /// Ends every call that was made in the name of an account that has left.
  case abandonCalls
  case fetchRestorable(round: Int)
  // Time.
  case pause(Pause, attempt: Int, then: QueueEvent)
  case wait(seconds: Int, then: QueueEvent)
  // The app.
  case tell(QueueCallback)
  /// Gives every unfinished transaction to every observer, a few at a time.
  case replay
  case warn(String)
}

/// The kind of a pause, which limits how long it grows.
enum Pause: Hashable, Sendable {
  /// The user waits for the work.
  case short
  /// The work runs in the background.
  case long
  /// Nothing failed; the pause keeps a loop from running without rest.
  case breath
  /// Always one second: another process has to release the storage folder first.
  case second
}

/// A call to observers, or the end of a call of the app.
enum QueueCallback: Sendable {
  case completed(CallID, QueueCallResult)
  case updated([OnsidePaymentTransaction])
  case removed([OnsidePaymentTransaction])
  case revoked([OnsidePaymentTransaction])
  case storefrontChanged
  case restoreFinished
  case restoreFailed(OnsideTransactionsRestoreError)
}

/// How a pre-flight ended.
enum QueueCallResult: Hashable, Sendable {
  case accepted
  case loginDiscarded
  case rejectedAfterLogin
  /// The payment cannot be taken as it is.
  case refused(OnsidePaymentError)
  /// The disk did not take it.
  case notStored
  /// The disk did not take it, and why.
  case storageFailed(OnsideFailure)
  /// The login met something else than the user's decision.
  case loginFailed(OnsideFailure)

  init(_ failure: LoginFailure) {
    switch failure {
    case .loginDiscarded: self = .loginDiscarded
    case .failed(let reason): self = .loginFailed(reason)
    }
  }

  /// The published answer, which knows two reasons only.
  var published: Result<Void, OnsidePaymentQueueAddProductError> {
    switch self {
    case .accepted: .success(())
    case .loginDiscarded, .loginFailed: .failure(.loginDiscarded)
    case .rejectedAfterLogin, .refused, .notStored, .storageFailed: .failure(.rejectedAfterLogin)
    }
  }

  /// The reason as the waiting forms throw it; nil when the call was accepted.
  var error: (any Error)? {
    switch self {
    case .accepted: nil
    case .loginDiscarded: OnsidePaymentQueueAddProductError.loginDiscarded
    case .rejectedAfterLogin: OnsidePaymentQueueAddProductError.rejectedAfterLogin
    case .refused(let error): error
    case .notStored: OnsideFailure.storageUnavailable
    case .storageFailed(let failure), .loginFailed(let failure): failure
    }
  }
}
