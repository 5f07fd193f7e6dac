import Foundation

/// Failed payments: the failure is written to disk first, then observers are called. So the next launch knows each
/// delivered failure, and a payment that reaches the store after all is not delivered before its failure is
/// finished.
extension QueueMachine {
  mutating func fail(_ failed: QueueEntry) -> [QueueEffect] {
    failing[failed.id] = failed
    let written = QueueEvent.failureWritten(failed.id)
    // The failure is delivered even when the disk is full.
    return [.disk(.write([failed], then: written, otherwise: written))]
  }

  mutating func failureWritten(_ id: UUID) -> [QueueEffect] {
    guard let failed = failing.removeValue(forKey: id) else { return [] }
    guard failed.account == account?.accountID else {
      parked[failed.account, default: TransactionBook()].put(failed)
      return [.disk(.write([failed]))]
    }
    endPurchase(id)
    return deliver([failed]) + startPayment()
  }
}
