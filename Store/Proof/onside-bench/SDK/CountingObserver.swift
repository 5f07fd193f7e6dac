import Foundation
import OnsideKit

/// An app's observer that only counts which transactions it was shown.
@MainActor
final class CountingObserver: OnsidePaymentTransactionObserver {
  private var seen: Set<UUID> = []
  private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  /// Returns when the given number of different transactions were shown.
  func seen(_ count: Int) async {
    guard seen.count < count else { return }
    await withCheckedContinuation { waiting = (count, $0) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions { seen.insert(transaction.id) }
    guard let waiting, seen.count >= waiting.count else { return }
    self.waiting = nil
    waiting.continuation.resume()
  }
}
