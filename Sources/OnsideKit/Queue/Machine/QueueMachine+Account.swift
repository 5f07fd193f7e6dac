import Foundation
import OnsideAPI
import OnsideCommerce

/// Logins, logouts, changes of region, observers, and what was on the disk.
extension QueueMachine {
  mutating func loaded(_ books: [AccountID: TransactionBook]) -> [QueueEffect] {
    parked = books
    journal = .loaded
    return account == nil ? partAll() + startFinish() : openBook()
  }

  /// Payments are no longer held: until the disk is read, their writes fail.
  mutating func loadFailed(_ failures: Int) -> [QueueEffect] {
    journal = .unreadable
    return [.pause(.short, attempt: failures, then: .loadAgain(failures: failures))]
  }

  /// Nothing may be read or written until the other one has ended. A payment is refused meanwhile: its write fails, and
  /// its completion says so.
  mutating func folderInUse() -> [QueueEffect] {
    let again = QueueEffect.pause(.second, attempt: 0, then: .loadAgain(failures: 0))
    if journal == .inUse { return [again] }
    journal = .inUse
    let warning = """
      Another process uses the payment queue's storage folder. Until it ends this one takes no payments and shows no \
      transactions. Give each process a storage folder of its own.
      """
    return [.warn(warning), again] + partAll()
  }

  mutating func observersChanged(_ hasAny: Bool) -> [QueueEffect] {
    guard hasAny != hasObserver else { return [] }
    hasObserver = hasAny
    if hasAny { return advance() }
    sync.stop()
    revoking = []
    return [.stopSync]
  }

  /// Takes in who is signed in now. Purchases belong to the account: they leave with it and come back with it.
  mutating func adopt(_ next: Member?) -> [QueueEffect] {
    guard next != member else { return [] }
    let changed = [QueueEffect.tell(.storefrontChanged)]
    if let next, next.signedIn.accountID == account?.accountID {
      member = next
      return changed
    }
    let left = account.map { leave($0) } ?? []
    member = next
    return changed + left + (next == nil || !isLoaded ? startFinish() : openBook())
  }

  private mutating func leave(_ old: SignedIn) -> [QueueEffect] {
    var effects: [QueueEffect] = [.stopSync, .abandonCalls]
    let gone = transactions
    if !gone.isEmpty { effects.append(.tell(.removed(gone))) }
    if restoring.cancel() { effects.append(.tell(.restoreFailed(.cancelled))) }
    parked[old.accountID] = book
    sessions.regain(old.accountID)
    book = TransactionBook()
    purchases = [:]
    turns = PaymentTurns()
    unclaimed = []
    revoking = []
    sync.leave()
    finishing.stop()
    return effects
  }

  /// Lays the account's transactions open. Payments of an earlier launch or login are asked about, never shown again.
  private mutating func openBook() -> [QueueEffect] {
    guard let account else { return [] }
    book = parked.removeValue(forKey: account.accountID) ?? TransactionBook()
    sessions.regain(account.accountID)
    let carriedOver = book.purchasing
    for entry in carriedOver.compactMap({ book[$0] }) {
      turns.append(entry)
      purchases[entry.id] = PurchaseMachine(country: entry.country, isCarriedOver: true)
    }
    reopenClaims()
    return (book.visible.isEmpty ? [] : [.replay]) + partAll() + advance()
  }
}
