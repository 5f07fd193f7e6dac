import Foundation
import OnsideAPI
import OnsideCommerce

/// An output of the queue's state machine: work that the queue performs. Indirect, as effects carry whole
/// transactions and events.
indirect enum QueueEffect: Sendable {
  /// A job of the disk. Jobs run in the order of their effects.
  case disk(DiskJob)
  /// Work for one payment: the delegate, the store or the screen. An answer returns as an event with the same step.
  case payment(UUID, step: Int, PurchaseMachine.Effect)
  // The account.
  case signIn(CallID)
  case regionLearned(CountryCode, SignedIn)
  case sessionEnded
  /// Asks the delegate, after a login, whether a payment continues.
  case askAfterLogin(CallID, OnsidePaymentTransaction)
  /// No finish is left to be sent for an account that has logged out: its session may be ended.
  case parted(AccountID)
  /// Ends every call that was made in the name of an account that has left.
  case abandonCalls
  // The store.
  case finish(UUID, of: AccountID, round: Int)
  case sync(round: Int, cursor: String?)
  case stopSync
  case fetchRestorable(round: Int)
  case pause(Pause, attempt: Int, then: QueueEvent)
  // The app.
  case tell(QueueCallback)
  /// Gives every unfinished transaction to every observer, a few at a time.
  case replay
  case warn(String)
}

/// A job of the disk. A write and an erase report their result with one of two events.
enum DiskJob: Sendable {
  /// Reads the disk, after this number of failed reads.
  case load(failures: Int)
  case write([QueueEntry], then: QueueEvent? = nil, otherwise: QueueEvent? = nil)
  case erase([UUID], then: QueueEvent? = nil, otherwise: QueueEvent? = nil)
  case saveCursor(AccountID, String?)
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

/// The result of a pre-flight.
enum QueueCallResult: Hashable, Sendable {
  /// A restore will run.
  case accepted
  /// A payment is on disk, as this transaction.
  case added(UUID)
  case loginDiscarded
  case rejectedAfterLogin
  /// The payment cannot be taken as it is.
  case refused(OnsidePaymentError)
  /// The disk rejected the payment.
  case notStored
  /// The disk rejected the payment, with the error.
  case storageFailed(OnsideFailure)
  /// The login failed for a reason other than the user's decision.
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
    case .accepted, .added: .success(())
    case .loginDiscarded, .loginFailed: .failure(.loginDiscarded)
    case .rejectedAfterLogin, .refused, .notStored, .storageFailed: .failure(.rejectedAfterLogin)
    }
  }

  /// The reason as the waiting forms throw it; nil when the call was accepted.
  var error: (any Error)? {
    switch self {
    case .accepted, .added: nil
    case .loginDiscarded: OnsidePaymentQueueAddProductError.loginDiscarded
    case .rejectedAfterLogin: OnsidePaymentQueueAddProductError.rejectedAfterLogin
    case .refused(let error): error
    case .notStored: OnsideFailure.storageUnavailable
    case .storageFailed(let failure), .loginFailed(let failure): failure
    }
  }
}
