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
  /// A page of the store on which the user can buy has closed.
  case storePageClosed
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
  /// An observer was given transactions that it did not have.
  case replayed([UUID])
  /// The observers' callbacks for refunds have returned.
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

extension QueueEvent {
  /// Whether the store reports a paid order of a product that the list of entitlements contains.
  var changesEntitlements: Bool {
    let orders: [OrderMessage] =
      switch self {
      case .purchase(_, _, .ordered(.success(let order))), .purchase(_, _, .told(.success(let order))): [order]
      case .restored(_, let orders): orders
      default: []
      }
    return orders.contains { $0.state == .paid && $0.product.kind.isRestorable }
  }
}
