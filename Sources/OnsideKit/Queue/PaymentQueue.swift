import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import Synchronization

/// The payment queue of one app session.
///
/// ``QueueMachine`` makes the decisions. The queue performs the machine's effects and sends their results back to it as
/// events. Callbacks are made in one place, after the state has changed, and may call any method of the queue again.
@MainActor
package final class PaymentQueue: OnsidePaymentQueue {
  package weak var delegate: (any OnsidePaymentQueueDelegate)?
  /// The token of payments that have none of their own; see ``Onside/appAccountToken``.
  var appAccountToken: String?

  let dependencies: Dependencies
  let store: any Store
  let account: any AccountGate
  var machine: QueueMachine
  var observers = ObserverList()
  /// How many observers have been added.
  private nonisolated let additions = Atomic(0)
  /// The calls of the app that wait for their pre-flight.
  var calls: [CallID: @MainActor (QueueCallResult) -> Void] = [:]
  /// The calls of the app that wait for the outcome of a payment, oldest first.
  var buyers: [Buyer] = []
  /// Calls that wait until a finish is on disk.
  var finishes: [UUID: [CheckedContinuation<Result<Void, OnsideFailure>, Never>]] = [:]
  var tasks = TaskBag()
  /// How many questions the delegate has not answered.
  var questions = 0
  /// The open screen of each payment.
  var screens: [UUID: (task: Task<Void, Never>, reminder: ScreenReminder)] = [:]
  var disk: JournalWriter?
  /// Waits for the finishes of accounts that have logged out.
  var partings: [AccountID: [Int: AsyncStream<Void>.Continuation]] = [:]
  var lastParting = 0
  /// Called when a purchase passes a point at which a test may end the process.
  var checkpoint: @MainActor (Checkpoint) -> Void = { point in
    #if DEBUG
      point.killIfAsked()
    #endif
  }

  /// Called with a note of each thing that the queue does; nil outside of tests.
  var onNote: (@MainActor (QueueNote) -> Void)?

  private var outbox: [QueueCallback] = []
  private var isDelivering = false
  private var isReplaying = false
  private(set) var isClosed = false
  private var snapshots: [OnsidePaymentTransaction]?
  /// Called when ``transactions`` may have changed, before any observer or completion is called.
  var onChange: (@MainActor () -> Void)?

  /// Called after the account has changed.
  var onAccountChange: (@MainActor () -> Void)?
  /// Called when the store has reported a change of the account's orders or subscriptions, before observers and callers
  /// of `purchase` are notified.
  var onStoreChange: (@MainActor () -> Void)?

  /// The most transactions that an observer is given in one turn of the main actor.
  static let replayBatch = 100

  /// Makes a queue and begins to read the disk, off the main actor.
  ///
  /// - Parameter app: the app whose own ids the accounts have; nil in local testing.
  package init(store: any Store, account: any AccountGate, app: String? = nil, dependencies: Dependencies) {
    self.store = store
    self.account = account
    self.dependencies = dependencies
    machine = QueueMachine(
      launch: UUID.version7(at: dependencies.now(), random: dependencies.randomBytes(10)).uuidString)
    let journal = TransactionJournal(
      storageFolder: dependencies.storageFolder, app: app, files: dependencies.files, logger: dependencies.logger)
    disk = JournalWriter(journal, logger: dependencies.logger) { [weak self] in self?.send($0) }
    account.onChange = { [weak self] _ in self?.accountChanged() }
    account.beforeRevoking = { [weak self] in await self?.finishesSent(of: $0) }
    send(.account(member))
    disk?.add(.load(failures: 0))
  }

  /// Stops at once, as if the process had ended; returns when the disk is at rest.
  package func close() async {
    stop()
    await disk?.finish()
  }

  func stop() {
    isClosed = true
    outbox = []
    disk?.stop()
    tasks.cancelAll()
    for account in partings.keys { parted(account) }
    dismissBuyers()
    for id in finishes.keys { finishSettled(id, .success(())) }
  }

  /// Ends the calls that wait for a finish.
  func finishSettled(_ id: UUID, _ result: Result<Void, OnsideFailure>) {
    for call in finishes.removeValue(forKey: id) ?? [] { call.resume(returning: result) }
  }

  // MARK: The published queue

  package var storefront: OnsideStorefront? { machine.member?.storefront }

  package var transactions: [OnsidePaymentTransaction] {
    if let snapshots { return snapshots }
    let fresh = machine.transactions
    snapshots = fresh
    return fresh
  }

  package var transactionObservers: [any OnsidePaymentTransactionObserver] { observers.living }

  package func add(observer: any OnsidePaymentTransactionObserver) {
    let number = additions.add(1, ordering: .releasing).newValue
    observers.add(observer, number: number, backlog: machine.account == nil ? [] : machine.book.visible)
    send(.observersChanged(hasAny: true))
    replay()
  }

  package func remove(observer: any OnsidePaymentTransactionObserver) {
    // An observer removes itself in its `deinit`, which runs on the thread that releases it.
    guard MainThread.isCurrent else { return removeSoon(ObjectIdentifier(observer)) }
    observers.remove(observer)
    send(.observersChanged(hasAny: !observers.isEmpty))
  }

  /// Removes an observer in a later turn of the main actor. By then another observer may have its address: it was added
  /// after this call, and stays.
  private nonisolated func removeSoon(_ observer: ObjectIdentifier) {
    let latest = additions.load(ordering: .acquiring)
    Task { @MainActor [weak self] in
      guard let self else { return }
      self.observers.remove(observer, addedUpTo: latest)
      self.send(.observersChanged(hasAny: !self.observers.isEmpty))
    }
  }

  /// Enqueues a payment. One whose ``OnsidePayment/appAccountToken`` or ``OnsidePayment/quantity`` no store takes
  /// completes with `.rejectedAfterLogin`, the only published case that means "not taken"; ``add(_:)`` throws the
  /// reason. So does one that the disk does not take, or that is added while another process uses the storage folder.
  package func add(
    _ payment: OnsidePayment,
    completion: (@MainActor (Result<Void, OnsidePaymentQueueAddProductError>) -> Void)?
  ) {
    add(payment, reporting: { completion?($0.published) })
  }

  /// Enqueues a payment and reports the result of its pre-flight with the reason.
  func add(_ payment: OnsidePayment, reporting report: @escaping @MainActor (QueueCallResult) -> Void) {
    let call = newID()
    calls[call] = report
    let payment = payment.carrying(appAccountToken)
    if let error = OnsidePaymentError(checking: payment) {
      dependencies.logger.error("A payment was refused: \(error)")
      later(.completed(call, .refused(error)))
      return deliver()
    }
    checkpoint(.added)
    guard !isClosed else { return }
    let request = AddRequest(
      call: call, payment: payment, id: newID(), date: dependencies.now(),
      provisionalCountry: machine.account == nil ? account.provisionalCountry : nil)
    send(.add(request))
  }

  package func restoreCompletedTransactions(
    completion: (@MainActor (Result<Void, OnsidePaymentQueueRequestRestoreError>) -> Void)?
  ) {
    restore(reporting: { completion?($0 == .accepted ? .success(()) : .failure(.loginDiscarded)) })
  }

  /// The same; the pre-flight's outcome with its reason.
  func restore(reporting report: @escaping @MainActor (QueueCallResult) -> Void) {
    let call = newID()
    calls[call] = report
    send(.restore(call))
  }

  package func finishTransaction(_ transaction: OnsidePaymentTransaction) {
    send(.finish(transaction.id))
  }

  /// Finishes a transaction and returns when that is on disk, or when there is nothing to finish. Throws the reason if
  /// the disk does not take it; the queue writes it again later.
  func finish(_ id: UUID) async throws(OnsideFailure) {
    send(.finish(id))
    guard !isClosed, machine.unwritten.contains(id) else { return }
    let result = await withCheckedContinuation { finishes[id, default: []].append($0) }
    try result.get()
  }

  package func cancel(_ transaction: OnsidePaymentTransaction) { send(.cancel(transaction.id)) }

  // MARK: Events

  /// Sends an event to the machine and performs its effects. All changes of the queue's state go through this method.
  func send(_ event: QueueEvent) {
    guard !isClosed else { return }
    if machine.hasObserver, observers.isEmpty { handle(.observersChanged(hasAny: false)) }
    handle(event)
    // Outcomes come before callbacks: an observer that finishes a failed transaction removes it from the machine.
    if !buyers.isEmpty { recordOutcomes() }
    deliver()
  }

  private func handle(_ event: QueueEvent) {
    note(event)
    pass(event)
    guard !isClosed else { return }
    if event.changesEntitlements { onStoreChange?() }
    let effects = machine.handle(event)
    snapshots = nil
    onChange?()
    for effect in effects { perform(effect) }
    if case .finishWritten(let entry, let onDisk, _) = event {
      finishSettled(entry.id, onDisk ? .success(()) : .failure(disk?.trouble ?? .storageUnavailable))
    }
  }

  /// Queues a callback; it is made once everything that belongs to the same change is under way.
  func later(_ callback: QueueCallback) { outbox.append(callback) }

  /// Makes the queued callbacks, unless a caller up the stack is making them.
  private func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    var next = 0
    while next < outbox.count {
      let callback = outbox[next]
      next += 1
      make(callback)
    }
    outbox = []
  }

  /// Gives observers their backlogs, at most ``replayBatch`` transactions in each turn of the main actor.
  func replay() {
    guard !isReplaying, observers.hasBacklog else { return }
    isReplaying = true
    tasks.run { [weak self] in
      while let self, !self.isClosed, let (observer, ids) = self.observers.next(Self.replayBatch) {
        let batch = self.machine.replays(of: ids)
        self.send(.replayed(batch.map(\.id)))
        self.noteDelivery(of: batch, to: 1)
        if !batch.isEmpty { observer.onsidePaymentQueue(self, updatedTransactions: batch) }
        await Task.yield()
      }
      self?.isReplaying = false
    }
  }

  func newID() -> UUID {
    UUID.version7(at: dependencies.now(), random: dependencies.randomBytes(10))
  }

  var member: Member? {
    guard let signedIn = account.signedIn, let storefront = account.storefront else { return nil }
    return Member(signedIn: signedIn, storefront: storefront)
  }

  private func accountChanged() {
    send(.account(member))
    onAccountChange?()
  }
}
