import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// The simulated app of a device. As the documentation asks, it grants each transaction once, then finishes it. It
/// records what it was notified of, and reports notifications that must not happen.
@MainActor
final class SimulatedApp {
  /// The purchases that were granted to an account, by the store's order.
  private(set) var granted: Set<String> = []
  /// The step of the last delivery of each granted purchase; nil if the disk may not have stored it.
  private var deliveries: [String: Int?] = [:]
  /// Granted purchases whose delivery the disk may have missed: the process died during the notification. The next
  /// process does not know that they were delivered, and is not notified of their refunds (QUE-19).
  private(set) var undocumented: Set<String> = []
  /// The transactions that were delivered as failed.
  private(set) var failed: Set<UUID> = []
  private let name: String
  private unowned let world: SimulatedWorld
  private var openCalls: Set<Int> = []
  private var lastCall = 0
  /// Purchase attempts by account and product.
  private(set) var wishes: [AccountID: [String: Int]] = [:]
  /// Payments that were taken and have not ended.
  private var unanswered: [UUID: AccountID] = [:]
  private var final: [UUID: OnsidePaymentTransactionState] = [:]
  /// Transactions that failed while the disk may not have stored that.
  private var unwritten: Set<UUID> = []
  private var finishing: Set<UUID> = []
  /// Transactions whose finish was confirmed to the app: no update may follow.
  private(set) var finished: Set<UUID> = []
  /// Payments in the queue that the app has asked to finish.
  private var withdrawing: Set<UUID> = []
  /// Payments that the queue has removed for such a finish: they were never sent, so no outcome may follow.
  private var withdrawn: Set<UUID> = []
  /// The refunds that the app was notified of, by the store's order, with the step of the notification.
  private var refunds: [String: Int] = [:]
  /// Refunds that may be notified once more: the app's process died during the notification.
  private var repeatable: Set<String> = []
  /// The number of the launch, and that of the last delivery of each consumable.
  private var launch = 0
  private var launches: [UUID: Int] = [:]
  /// The purchases that calls of `purchase` have returned to deliver.
  private var returned: Set<UUID> = []
  /// A Boolean value that indicates whether every transaction has ended, so that no notification may follow.
  var isAtRest = false

  init(_ name: String, world: SimulatedWorld) {
    self.name = name
    self.world = world
  }

  var hasOpenCalls: Bool { !openCalls.isEmpty }

  func unanswered(of account: AccountID) -> [UUID] {
    unanswered.filter { $0.value == account }.keys.sorted()
  }

  func knowsRefund(of order: String) -> Bool { refunds[order] != nil }

  /// Handles the death of the process: it may have died before it had handled the refunds of that moment.
  func died() {
    for (order, step) in refunds where step >= world.steps - 1 { repeatable.insert(order) }
    for (order, step) in deliveries where step.map({ $0 >= world.steps - 1 }) ?? true {
      undocumented.insert(order)
      // The next process gets the purchase in the state that it has by then.
      if let id = UUID(uuidString: order) { final[id] = nil }
    }
  }

  /// The launch that is under way.
  weak var session: AppSession?

  /// Handles a new launch: open calls of the launch before get no answer, and finishes under way may be lost.
  func launched() {
    openCalls = []
    launch += 1
    startsListening()
    (finishing, withdrawing) = ([], [])
    // The disk may have missed a restored purchase, and the next sync delivers it as purchased.
    final = final.filter { $0.value != .restored }
  }

  /// Handles an observer that missed removals: a success may follow a finished failure, and a restore may follow a
  /// finish, also one on another device.
  func startsListening() {
    for (id, state) in final where finishing.contains(id) || isFinishedAtStore(id) {
      final[id] = nil
      if state == .failed { finishing.remove(id) }
    }
  }

  private func isFinishedAtStore(_ id: UUID) -> Bool { world.server.books.orders[id]?.state.finished == true }

  /// Handles a removed observer: the app gets no removals meanwhile.
  func stopsListening() { unanswered = [:] }

  func calls() -> Int {
    lastCall += 1
    openCalls.insert(lastCall)
    return lastCall
  }

  func completed(
    _ call: Int, isPayment: Bool = false, account: AccountID? = nil, productID: String = ""
  ) {
    if openCalls.remove(call) == nil { world.broken(.p4, text: "\(name): call \(call) was completed twice") }
    if isPayment, let account { wishes(for: productID, by: account) }
  }

  /// Records an attempt to buy a product.
  func wishes(for productID: String, by account: AccountID) {
    wishes[account, default: [:]][productID, default: 0] += 1
  }

  /// Handles a purchase that a call of `purchase` has returned to deliver: no other call returns it (QUE-27).
  func receives(_ purchase: OnsidePaymentTransaction) {
    guard !purchase.isFinished, !returned.insert(purchase.id).inserted else { return }
    world.broken(.p3, text: "\(name): two calls have returned \(world.name(purchase.id)) to deliver")
  }

  /// Handles a finish by the app; it may have read the transaction from the queue's list instead of as an observer.
  func finishes(_ transaction: OnsidePaymentTransaction) {
    // This cancels a waiting payment, perhaps without a further update.
    unanswered[transaction.id] = nil
    guard transaction.transactionState != .purchasing else {
      withdrawing.insert(transaction.id)
      return
    }
    take(transaction)
    finishing.insert(transaction.id)
  }

  private func take(_ transaction: OnsidePaymentTransaction) {
    unanswered[transaction.id] = nil
    if transaction.transactionState == .failed { failed.insert(transaction.id) } else { grant(transaction) }
  }

  private func hear(_ transaction: OnsidePaymentTransaction, of account: AccountID?) {
    let (id, state) = (transaction.id, transaction.transactionState)
    world.trace { "\(self.name) hears \($0.name(id)) is \(state)" }
    if isAtRest { world.broken(.p3, text: "\(name): \(world.name(id)) has ended, and comes again as \(state)") }
    guard state != .purchasing else {
      unanswered[id] = account
      // The next process does not know what a full disk did not store: the payment goes on.
      if unwritten.remove(id) != nil {
        final[id] = nil
        failed.remove(id)
      }
      return
    }
    if state == .failed, session?.link.device.disk.wasFull == true { unwritten.insert(id) }
    if withdrawn.contains(id) {
      world.broken(.p4, text: "\(name): \(world.name(id)) was withdrawn and is now \(state)")
    }
    if finished.contains(id), state != .restored {
      world.broken(.p3, text: "\(name): \(world.name(id)) was finished and comes again as \(state)")
    }
    if let before = final.updateValue(state, forKey: id), before != state {
      world.broken(.p4, text: "\(name): \(world.name(id)) was \(before) and is now \(state)")
    }
    checkClaim(of: transaction)
    take(transaction)
    world.finishLater(transaction.id, on: name)
  }

  /// A consumable that an earlier launch was given is delivered again after a question to the store (QUE-22).
  private func checkClaim(of transaction: OnsidePaymentTransaction) {
    let id = transaction.id
    guard transaction.transactionState == .purchased, transaction.payment.product.productIdentifier == "coins",
      let earlier = launches.updateValue(launch, forKey: id), earlier != launch
    else { return }
    if session?.link.hasAsked(about: id) != true {
      world.broken(.p3, text: "\(name): \(world.name(id)) was delivered again without a claim")
    }
  }

  private func grant(_ transaction: OnsidePaymentTransaction) {
    guard let order = transaction.transactionIdentifier, let id = UUID(uuidString: order) else {
      return world.broken(
        .p3, text: "\(name): \(world.name(transaction.id)) is \(transaction.transactionState) of no order")
    }
    guard world.server.durable.orders[id]?.isPaid == true else {
      return world.broken(.p3, text: "\(name): \(world.name(id)) was delivered, and the store was never paid for it")
    }
    checkQuantity(of: transaction, order: id)
    let isNews = granted.insert(order).inserted
    // A granted purchase may be delivered again while an answer with the refund is on its way, or was dropped.
    if knowsRefund(of: order) || (isNews && session?.link.hasToldRefund(of: transaction.id) == true) {
      return world.broken(.p3, text: "\(name): \(world.name(id)) was delivered after its refund was known")
    }
    undocumented.remove(order)
    deliveries[order] = .some(session?.link.device.disk.wasFull == true ? nil : world.steps)
    guard isNews else { return }
    if transaction.payment.product.productIdentifier == "coins" { world.grants(id, on: name) }
  }

  /// As many are delivered, and taken back, as were paid for.
  private func checkQuantity(of transaction: OnsidePaymentTransaction, order: UUID) {
    let (told, paid) = (transaction.payment.quantity, world.server.durable.orders[order]?.request.quantity)
    guard told != paid else { return }
    world.broken(.p1, text: "\(name): \(world.name(order)) is told as \(told), and is of \(paid ?? 0)")
  }

  private func takeBack(_ transaction: OnsidePaymentTransaction) {
    world.trace { "\(self.name) hears \($0.name(transaction.id)) is refunded" }
    let order = transaction.transactionIdentifier ?? ""
    if !granted.contains(order) {
      world.broken(.p3, text: "\(name): the refund of \(world.name(transaction.id)) is told, and it was never granted")
    }
    if let id = UUID(uuidString: order) { checkQuantity(of: transaction, order: id) }
    let wasKnown = refunds.updateValue(world.steps, forKey: order) != nil
    if wasKnown, repeatable.remove(order) == nil {
      world.broken(.p3, text: "\(name): the refund of \(world.name(transaction.id)) is told again")
    }
  }
}

extension SimulatedApp: OnsidePaymentTransactionObserver, OnsidePaymentQueueDelegate {
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    guard let session, session.isAlive else { return }
    for transaction in transactions { hear(transaction, of: session.signedIn?.accountID) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    guard session?.isAlive == true else { return }
    for transaction in transactions {
      world.trace { "\(self.name) hears \($0.name(transaction.id)) is removed" }
      unanswered[transaction.id] = nil
      let wasWithdrawing = withdrawing.remove(transaction.id) != nil
      // A logout removes every transaction, and a full disk may keep a removed payment for the next process.
      let isErased = session?.signedIn != nil && session?.link.device.disk.wasFull != true
      if wasWithdrawing, transaction.transactionState == .purchasing, isErased {
        withdrawn.insert(transaction.id)
      }
      let wasFinishing = finishing.remove(transaction.id) != nil
      // A call of `purchase` finishes its failures itself.
      let isFinishedFailure = transaction.transactionState == .failed && session?.signedIn != nil
      if wasFinishing || isFinishedFailure || isFinishedAtStore(transaction.id) { final[transaction.id] = nil }
      if wasFinishing, transaction.transactionState != .failed { finished.insert(transaction.id) }
    }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    guard session?.isAlive == true else { return }
    for transaction in transactions { takeBack(transaction) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool {
    await world.pause(world.random.pick(0...5000))
    return world.random.chance(80)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool { world.random.chance(90) }
}
