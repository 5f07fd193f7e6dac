import Foundation

/// Failing: on the disk first, then the app is told. What a launch has told to have failed, the next one still knows, so
/// that a payment that reaches the store after all does not come as bought before its failure is finished.
extension QueueMachine {
  mutating func fail(_ failed: QueueEntry) -> [QueueEffect] {
    failing[failed.id] = failed
    let written = QueueEvent.failureWritten(failed.id)
    // A full disk keeps nobody from hearing of it.
    return [.write([failed], then: written, otherwise: written)]
  }

  mutating func failureWritten(_ id: UUID) -> [QueueEffect] {
    guard let failed = failing.removeValue(forKey: id) else { return [] }
    guard failed.account == account?.accountID else {
      parked[failed.account, default: TransactionBook()].put(failed)
      return [.write([failed])]
    }
    endPurchase(id)
    return deliver([failed]) + startPayment()
  }
}
