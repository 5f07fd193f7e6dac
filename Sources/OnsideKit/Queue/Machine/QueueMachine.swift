import Foundation
import OnsideAPI
import OnsideCommerce

/// The whole payment queue, without disk, network, time or callbacks: an event changes the state and answers what is to
/// be done.
///
/// Four lanes run beside each other and never wait for one another: payments, those of one product one at a time in the
/// order added; the sync; restores; finishes that the store does not have yet.
struct QueueMachine: Sendable {
  /// Who is signed in, with the storefront.
  var member: Member?
  /// The transactions of the account.
  var book = TransactionBook()
  /// The transactions of accounts that are not signed in.
  var parked: [AccountID: TransactionBook] = [:]
  var hasObserver = false
  var journal = JournalState.reading
  var hasWarned = false

  /// Calls of the app that wait for a login or for the gate after it.
  var preflights: [CallID: Preflight] = [:]
  /// Payments that wait for the first read of the disk, or for the store's answer about an earlier payment to join.
  var heldPayments: [HeldPayment] = []
  /// Payments on their way to the disk, with the calls that wait for it.
  var enlisting: [UUID: Enlisting] = [:]
  /// Payments whose outcome is open.
  var purchases: [UUID: PurchaseMachine] = [:]
  /// Purchases that are claimed as soon as an observer can be told of them.
  var unclaimed: [UUID] = []

  var turns = PaymentTurns()
  var sync = SyncLane()
  var restoring = RestoreLane()
  var finishing = FinishLane()
  var unwritten = UnwrittenFinishes()
  var sessions = LoggedOutSessions()

  /// Failures on their way to the disk, of which the app has not been told yet.
  var failing: [UUID: QueueEntry] = [:]
  /// Refunds on their way to the disk and from there to the app.
  var revoking: Set<UUID> = []

  /// Names storefronts of this launch for regions that are not the account's.
  let launch: String

  init(launch: String) { self.launch = launch }

  enum Preflight: Hashable, Sendable {
    case payment(AddRequest)
    /// The account that the gate after the login was asked for.
    case gate(AddRequest, SignedIn)
    case restore
  }

  /// The journal on the disk, as far as this launch has read it.
  enum JournalState: Sendable {
    /// The first read is under way.
    case reading
    case loaded
    /// The last read has failed, and is repeated.
    case unreadable
    /// Another process uses the folder, and sends the finishes in it.
    case inUse
  }

  var isLoaded: Bool { journal == .loaded }

  struct HeldPayment: Sendable {
    let request: AddRequest
    let account: SignedIn
    let country: CountryCode
  }

  struct Enlisting: Hashable, Sendable {
    let entry: QueueEntry
    var calls: [CallID]
  }

  mutating func handle(_ event: QueueEvent) -> [QueueEffect] {
    let effects = take(event)
    return heldPayments.isEmpty ? effects : effects + releaseHeld()
  }

  private mutating func take(_ event: QueueEvent) -> [QueueEffect] {
    switch event {
    case .observersChanged(let hasAny): observersChanged(hasAny)
    case .add(let request): add(request)
    case .restore(let call): restore(call)
    case .finish(let id): finish(id)
    case .cancel(let id): cancel(id)
    case .storePageClosed: wakeSync()
    case .account(let member): adopt(member)
    case .loginEnded(let call, let result, let member): loginEnded(call, result: result, member: member)
    case .afterLoginAnswered(let call, let yes): afterLoginAnswered(call, goesOn: yes)
    case .loaded(let books): loaded(books)
    case .loadFailed(let failures): loadFailed(failures)
    case .folderInUse: folderInUse()
    case .loadAgain(let failures): [.disk(.load(failures: failures))]
    case .enlisted(let id, let onDisk): enlisted(id, onDisk: onDisk)
    case .failureWritten(let id): failureWritten(id)
    case .finishWritten(let entry, let onDisk, let attempt): finishWritten(entry, onDisk: onDisk, attempt: attempt)
    case .revocationsWritten(let ids, let owner): revocationsWritten(ids, of: owner)
    case .revocationsNotWritten(let ids, let owner, let attempt):
      [.pause(.long, attempt: attempt, then: .writeRevocationsAgain(ids, owner, attempt: attempt))]
    case .replayed(let ids): replayed(ids)
    case .revocationsTold(let ids): revocationsTold(ids)
    case .purchase(let id, let step, let event): purchase(id, step: step, event: event)
    case .synced(let round, let orders): synced(round: round, orders)
    case .syncEnded(let round, let result): syncEnded(round: round, result)
    case .restored(let round, let orders): restored(round: round, orders)
    case .restoreEnded(let round, let error): restoreEnded(round: round, error)
    case .finishAnswered(let id, let round, let error): finishAnswered(id, round: round, error: error)
    case .syncAgain(let round): syncAgain(round: round)
    case .finishAgain(let round): finishAgain(round: round)
    case .parting(let account): part(account)
    case .writeFinishAgain(let entry, let attempt): writeFinish(entry, attempt: attempt)
    case .writeRevocationsAgain(let ids, let owner, let attempt): writeRevocations(ids, of: owner, attempt: attempt)
    }
  }

  /// Starts whatever may run now. Harmless when nothing may.
  mutating func advance() -> [QueueEffect] {
    startSync() + startPayment() + startClaims() + startRestore() + startFinish() + startRevocations()
  }

  /// Logs, once, that transactions wait for an observer.
  mutating func warnIfUnobserved() -> [QueueEffect] {
    guard !hasObserver, !hasWarned else { return [] }
    hasWarned = true
    return [.warn("The payment queue has work but no observer. Call add(observer:) to have it done.")]
  }

  /// Who is signed in.
  var account: SignedIn? { member?.signedIn }

  /// An entry of an account, whether it is signed in or not.
  func entry(_ id: UUID, of owner: AccountID) -> QueueEntry? {
    owner == account?.accountID ? book[id] : parked[owner]?[id]
  }

  /// The unfinished transactions, oldest first.
  var transactions: [OnsidePaymentTransaction] {
    guard account != nil else { return [] }
    return book.visible.compactMap { book[$0].map { snapshot($0) } }
  }

  /// Transactions for an observer that has not seen them; those that are gone are left out.
  func replays(of ids: some Sequence<UUID>) -> [OnsidePaymentTransaction] {
    guard account != nil else { return [] }
    return ids.compactMap { id in
      book.unfinished(id).map { $0.wasDelivered && $0.state != .purchasing ? snapshot($0).redelivered : snapshot($0) }
    }
  }

  /// Records the delivery of transactions that had their final state before there was an observer.
  mutating func replayed(_ ids: [UUID]) -> [QueueEffect] {
    let delivered = ids.filter { id in
      book.unfinished(id).map { $0.state != .purchasing && !$0.wasDelivered } ?? false
    }
    let entries = delivered.compactMap { id in book.change(id) { $0.wasDelivered = true } }
    return entries.isEmpty ? [] : [.disk(.write(entries))]
  }

  func snapshot(_ entry: QueueEntry) -> OnsidePaymentTransaction {
    entry.snapshot(in: storefront(for: entry.country))
  }

  func storefront(for country: CountryCode) -> OnsideStorefront {
    if let storefront = member?.storefront, storefront.countryCode == country.alpha2 { return storefront }
    return OnsideStorefront(id: "\(launch)-\(country.alpha2)", countryCode: country.alpha2)
  }

  /// Puts changed entries into the book and onto the disk, and tells observers.
  mutating func deliver(_ entries: [QueueEntry]) -> [QueueEffect] {
    guard !entries.isEmpty else { return [] }
    for var entry in entries {
      entry.wasDelivered = entry.wasDelivered || hasObserver
      book.put(entry)
    }
    let written = QueueEffect.disk(.write(entries.compactMap { book[$0.id] }))
    return [written, .tell(.updated(entries.map { snapshot($0) }))]
  }
}
