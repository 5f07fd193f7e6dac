import Foundation
import OnsideAPI

/// Finishing a transaction: the tombstone is written to disk first, then observers are called, then the store is told,
/// with retries.
extension QueueMachine {
  mutating func finish(_ id: UUID) -> [QueueEffect] {
    guard account != nil, let entry = book.unfinished(id) else { return [] }
    switch entry.state {
    case .purchasing: return withdraw(entry)
    case .failed: return finishFailed(entry)
    case .purchased, .restored:
      let finished = book.change(id) {
        $0.isFinished = true
        $0.owesFinish = true
      }
      return finished.map { writeFinish($0, attempt: 0) } ?? []
    }
  }

  /// Withdraws a payment without an order; one that the store may know stays.
  private mutating func withdraw(_ entry: QueueEntry) -> [QueueEffect] {
    guard let purchase = purchases[entry.id], purchase.phase == .waiting, !purchase.mayHaveOrder else { return [] }
    endPurchase(entry.id)
    book.remove(entry.id)
    return writeFinish(entry, attempt: 0)
  }

  private mutating func finishFailed(_ entry: QueueEntry) -> [QueueEffect] {
    book.remove(entry.id)
    guard entry.isPaidAfterAll else { return writeFinish(entry, attempt: 0) }
    unwritten.markPaid(entry.id)
    // The cursor goes first, so that a kill in between brings the purchase again, too.
    return [.disk(.saveCursor(entry.account, nil))] + writeFinish(entry, attempt: 0)
  }

  mutating func writeFinish(_ entry: QueueEntry, attempt: Int) -> [QueueEffect] {
    unwritten.insert(entry.id)
    // The store may have refunded it since the last attempt; that is not to be overwritten.
    let present = self.entry(entry.id, of: entry.account) ?? entry
    let written = QueueEvent.finishWritten(entry, onDisk: true, attempt: attempt)
    let failed = QueueEvent.finishWritten(entry, onDisk: false, attempt: attempt + 1)
    return present.owesFinish || present.isRevoked
      ? [.disk(.write([present], then: written, otherwise: failed))]
      : [.disk(.erase([entry.id], then: written, otherwise: failed))]
  }

  mutating func finishWritten(_ entry: QueueEntry, onDisk: Bool, attempt: Int) -> [QueueEffect] {
    guard onDisk else {
      let failed: [QueueEffect] = restoring.withdraw() ? [.tell(.restoreFailed(.internalError))] : []
      return failed + [.pause(.long, attempt: attempt, then: .writeFinishAgain(entry, attempt: attempt))]
    }
    let isPaid = unwritten.remove(entry.id)
    if entry.owesFinish {
      if entry.account == account?.accountID {
        book.owed.append(entry.id)
      } else {
        parked[entry.account]?.owed.append(entry.id)
      }
    }
    let removed = QueueEffect.tell(.removed([snapshot(entry)]))
    return [removed] + (isPaid ? startOver(entry.account) : []) + partAll() + startFinish() + startRestore()
  }

  /// Deletes the sync cursor, so that the next sync brings every paid and unfinished purchase again.
  mutating func startOver(_ owner: AccountID) -> [QueueEffect] {
    guard owner == account?.accountID else {
      parked[owner]?.cursor = nil
      return [.disk(.saveCursor(owner, nil))]
    }
    book.cursor = nil
    sync.stop()
    return [.disk(.saveCursor(owner, nil)), .stopSync] + startSync()
  }

  /// Sends the store the next finish that it does not have.
  mutating func startFinish() -> [QueueEffect] {
    guard isLoaded, !finishing.isBusy, let (next, owner) = nextFinish else { return [] }
    return [.finish(next, of: owner, round: finishing.start(for: owner))]
  }

  /// The next finish to send, and its account. The signed-in account goes first, then accounts that have logged out and
  /// whose session is not ended yet. After a failure the other accounts are served before that account's next attempt.
  private var nextFinish: (UUID, AccountID)? {
    var owing = parked.filter { !$0.value.owed.isEmpty && !sessions.isMissing($0.key) }.map(\.key)
    owing.sort { $0.description < $1.description }
    if let account, !book.owed.isEmpty { owing.insert(account.accountID, at: 0) }
    let failed = finishing.failedOwner.flatMap { owing.firstIndex(of: $0) }
    let next = failed.map { owing[($0 + 1) % owing.count] } ?? owing.first
    return next.flatMap { owner in self.book(of: owner)?.owed.first.map { ($0, owner) } }
  }

  mutating func finishAnswered(_ id: UUID, round: Int, error: StoreError?) -> [QueueEffect] {
    guard let owner = finishing.owner(in: round), var book = book(of: owner), book.owed.first == id
    else { return [] }
    if error == .notSignedIn, owner != account?.accountID {
      finishing.end()
      sessions.lose(owner)
      return partAll() + startFinish()
    }
    book.owed.removeFirst()
    if let error, !error.isFinalForFinish {
      // The next finish may succeed; this one is tried again after the others.
      book.owed.append(id)
      setBook(book, of: owner)
      return [.pause(.long, attempt: finishing.fail(), then: .finishAgain(round: round))]
    }
    finishing.succeed()
    if owner == account?.accountID {
      sync.recordDeparture(of: id, finishing: book[id]?.purchase?.transactionIdentifier)
    }
    let acknowledged = book.change(id) { $0.owesFinish = false }
    // A refunded one stays, so that the refund is not told again.
    let kept = acknowledged.flatMap { $0.isFinished && !$0.isRevoked ? nil : $0 }
    if kept == nil { book.remove(id) }
    setBook(book, of: owner)
    let job: DiskJob = kept.map { .write([$0]) } ?? .erase([id])
    let warning = error.map { QueueEffect.warn("The store did not take the finish of \(id): \($0)") }
    return [.disk(job)] + (warning.map { [$0] } ?? []) + partAll() + startFinish()
  }

  private func book(of owner: AccountID) -> TransactionBook? {
    owner == account?.accountID ? book : parked[owner]
  }

  private mutating func setBook(_ changed: TransactionBook, of owner: AccountID) {
    if owner == account?.accountID { book = changed } else { parked[owner] = changed }
  }

  mutating func finishAgain(round: Int) -> [QueueEffect] {
    guard finishing.isCurrent(round) else { return [] }
    finishing.end()
    return startFinish()
  }

  /// Prepares an account whose session is about to be ended at the store.
  mutating func part(_ leaving: AccountID) -> [QueueEffect] {
    // There is a session to be ended, so finishes can be sent with it, even if there was none before.
    sessions.willEnd(leaving)
    return partAll() + startFinish()
  }

  /// Permits to end the sessions of accounts that owe the store no finish. Before the disk is read that is not known.
  mutating func partAll() -> [QueueEffect] {
    // A process that has no queue has no finishes to send, either.
    guard isLoaded || journal == .inUse, !sessions.ending.isEmpty else { return [] }
    let done = sessions.ending.filter { leaving in
      // The account's finishes are sent with its present session; without one they cannot be sent.
      leaving == account?.accountID || sessions.isMissing(leaving) || parked[leaving]?.owesFinish != true
    }
    sessions.release(done)
    return done.sorted { $0.description < $1.description }.map { .parted($0) }
  }
}

extension StoreError {
  /// Whether the store will never accept this finish, so that a retry is of no use. A store that was restored from a
  /// backup may have to get the payment again first.
  fileprivate var isFinalForFinish: Bool {
    switch self {
    case .refused(.orderNotFinal): false
    case .notFound, .refused: true
    default: false
    }
  }
}
