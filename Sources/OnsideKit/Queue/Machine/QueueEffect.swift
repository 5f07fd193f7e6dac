import Foundation
import OnsideAPI
import OnsideCommerce

/// An output of the queue's state machine: work that the queue performs. Indirect, as effects carry whole
/// transactions and events.
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
