import Foundation
import OnsideAPI

/// Finishing: a tombstone on disk first, then the app is told, then the store, as often as it takes.
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

  /// A payment that was not sent yet is given up; one in flight stays.
  private mutating func withdraw(_ entry: QueueEntry) -> [QueueEffect] {
    guard let purchase = purchases[entry.id], purchase.phase == .waiting, !purchase.isCarriedOver else { return [] }
    endPurchase(entry.id)
    book.remove(entry.id)
    return writeFinish(entry, attempt: 0)
  }

  private mutating func finishFailed(_ entry: QueueEntry) -> [QueueEffect] {
    book.remove(entry.id)
    guard entry.isPaidAfterAll else { return writeFinish(entry, attempt: 0) }
    paidAfterAll.insert(entry.id)
    // The cursor goes first, so that a kill in between brings the purchase again, too.
    return [.saveCursor(entry.account, nil)] + writeFinish(entry, attempt: 0)
  }

  mutating func writeFinish(_ entry: QueueEntry, attempt: Int) -> [QueueEffect] {
    unwritten.insert(entry.id)
    // The store may have taken it back since the last try; that is not to be overwritten.
    let present = self.entry(entry.id, of: entry.account) ?? entry
    let written = QueueEvent.finishWritten(entry, onDisk: true, attempt: attempt)
    let failed = QueueEvent.finishWritten(entry, onDisk: false, attempt: attempt + 1)
    return present.owesFinish || present.isRevoked
      ? [.write([present], then: written, otherwise: failed)]
      : [.erase([entry.id], then: written, otherwise: failed)]
  }

  mutating func finishWritten(_ entry: QueueEntry, onDisk: Bool, attempt: Int) -> [QueueEffect] {
    guard onDisk else {
      return [.pause(.long, attempt: attempt, then: .writeFinishAgain(entry, attempt: attempt))]
    }
    unwritten.remove(entry.id)
    if entry.owesFinish {
      if entry.account == account?.accountID {
        book.owed.append(entry.id)
      } else {
        parked[entry.account]?.owed.append(entry.id)
      }
    }
    let removed = QueueEffect.tell(.removed([snapshot(entry)]))
    let isPaid = paidAfterAll.remove(entry.id) != nil
    return [removed] + (isPaid ? startOver(entry.account) : []) + startFinish()
  }

  /// Lets the sync bring everything again that is paid and not finished.
  private mutating func startOver(_ owner: AccountID) -> [QueueEffect] {
    guard owner == account?.accountID else {
      parked[owner]?.cursor = nil
      return [.saveCursor(owner, nil)]
    }
    book.cursor = nil
    sync.stop()
    return [.saveCursor(owner, nil), .stopSync] + startSync()
  }

  /// Tells the store of the next finish that it does not know.
  mutating func startFinish() -> [QueueEffect] {
    guard account != nil, isLoaded, !finishing.isBusy, let next = book.owed.first else { return [] }
    return [.finish(next, round: finishing.start())]
  }

  mutating func finishAnswered(_ id: UUID, _ round: Int, _ error: StoreError?) -> [QueueEffect] {
    guard finishing.isCurrent(round), book.owed.first == id else { return [] }
    book.owed.removeFirst()
    if let error, !error.isFinalForFinish {
      // The next one may fare better; this one gets its turn again.
      book.owed.append(id)
      finishing.failures += 1
      return [.pause(.long, attempt: finishing.failures, then: .finishAgain(round: round))]
    }
    finishing.end()
    finishing.failures = 0
    freshlyFinished.insert(id)
    let acknowledged = book.change(id) { $0.owesFinish = false }
    // One that was taken back stays, so that the app is not told again.
    let kept = acknowledged.flatMap { $0.isFinished && !$0.isRevoked ? nil : $0 }
    if kept == nil { book.remove(id) }
    let warning = error.map { QueueEffect.warn("The store did not take the finish of \(id): \($0)") }
    return [kept.map { .write([$0]) } ?? .erase([id])] + (warning.map { [$0] } ?? []) + startFinish()
  }

  mutating func finishAgain(_ round: Int) -> [QueueEffect] {
    guard finishing.isCurrent(round) else { return [] }
    finishing.end()
    return startFinish()
  }
}

extension StoreError {
  /// Whether the store will never take this finish, so that trying again is of no use.
  fileprivate var isFinalForFinish: Bool {
    switch self {
    case .notFound, .refused: true
    default: false
    }
  }
}
