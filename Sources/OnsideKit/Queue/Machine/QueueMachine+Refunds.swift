import Foundation
import OnsideAPI

/// Refunded and revoked purchases: they leave the queue at once, the refund is written to their files, observers are
/// called, and the files record that. The files stay, so that each refund is told once, even if the store repeats it.
/// A purchase that the app has not delivered on this device is removed only (QUE-19).
///
/// If the process ends while its observers are called with a refund, the next launch calls them again: nothing shows
/// whether they had finished.
extension QueueMachine {
  mutating func revoke(_ entries: [QueueEntry]) -> [QueueEffect] {
    guard let account, !entries.isEmpty else { return [] }
    let delivered = entries.filter { $0.owesRevocation == true }
    let dropped = entries.filter { $0.owesRevocation != true }
    let left = dropped.filter { book.unfinished($0.id) != nil }.map { snapshot($0) }
    for entry in dropped { remove(entry.id) }
    for entry in delivered { book.put(entry) }
    var effects: [QueueEffect] = dropped.isEmpty ? [] : [.disk(.erase(dropped.map(\.id)))]
    if !left.isEmpty { effects.append(.tell(.removed(left))) }
    return effects + writeRevocations(delivered.map(\.id), of: account.accountID, attempt: 0)
  }

  /// Removes an entry that another device has finished, or whose purchase was revoked. An older sync answer does not
  /// bring it back.
  mutating func remove(_ id: UUID) {
    book.remove(id)
    sync.recordDeparture(of: id, finishing: nil)
  }

  /// Reports the refunds that were not told while there was no observer, or before the process ended.
  mutating func startRevocations() -> [QueueEffect] {
    guard let account, hasObserver, isLoaded else { return [] }
    let left = book.untold.subtracting(revoking).sorted { $0.uuidString < $1.uuidString }
    return writeRevocations(left, of: account.accountID, attempt: 0)
  }

  mutating func writeRevocations(_ ids: [UUID], of owner: AccountID, attempt: Int) -> [QueueEffect] {
    let entries = ids.compactMap { entry($0, of: owner) }
    guard !entries.isEmpty else { return [] }
    if owner == account?.accountID { revoking.formUnion(book.untold.intersection(ids)) }
    let failed = QueueEvent.revocationsNotWritten(ids, owner, attempt: attempt + 1)
    return [.disk(.write(entries, then: .revocationsWritten(ids, owner), otherwise: failed))]
  }

  mutating func revocationsWritten(_ ids: [UUID], of owner: AccountID) -> [QueueEffect] {
    guard owner == account?.accountID, hasObserver else {
      // Told as soon as there is an observer.
      revoking.subtract(ids)
      return []
    }
    let entries = ids.compactMap { book[$0] }.filter { $0.owesRevocation == true && revoking.contains($0.id) }
    let left = entries.filter { !$0.isFinished }.map { snapshot($0) }
    let silent = entries.filter { !book.isReported(by: $0) }
    let revoked = entries.filter { book.isReported(by: $0) }.map { snapshot($0) }
    return (left.isEmpty ? [] : [.tell(.removed(left))]) + (revoked.isEmpty ? [] : [.tell(.revoked(revoked))])
      + revocationsTold(silent.map(\.id))
  }

  /// Records refunds as delivered to the app.
  mutating func revocationsTold(_ ids: [UUID]) -> [QueueEffect] {
    revoking.subtract(ids)
    let told = ids.compactMap { id in change(id) { $0.owesRevocation = nil } }
    return Dictionary(grouping: told, by: \.account).map { owner, entries in
      .disk(.write(entries, otherwise: .revocationsNotWritten(entries.map(\.id), owner, attempt: 1)))
    }
  }

  /// Changes an entry also when its account left while observers were told.
  private mutating func change(_ id: UUID, _ change: (inout QueueEntry) -> Void) -> QueueEntry? {
    if let entry = book.change(id, change) { return entry }
    guard let owner = parked.first(where: { $0.value[id] != nil })?.key else { return nil }
    return parked[owner]?.change(id, change)
  }
}
