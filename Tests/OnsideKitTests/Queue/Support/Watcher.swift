import Foundation
import OnsideKit
import Testing

/// An observer that records its calls, for which a test can wait.
@MainActor
final class Watcher: OnsidePaymentTransactionObserver {
  enum Heard: Hashable {
    case updated([OnsidePaymentTransaction])
    case removed([OnsidePaymentTransaction])
    case revoked([OnsidePaymentTransaction])
    case storefront(String?)
    case restoreFinished
    case restoreFailed(OnsideTransactionsRestoreError)
    case completed(String)

    var updated: [OnsidePaymentTransaction] { if case .updated(let transactions) = self { transactions } else { [] } }
    var removed: [OnsidePaymentTransaction] { if case .removed(let transactions) = self { transactions } else { [] } }
    var revoked: [OnsidePaymentTransaction] { if case .revoked(let transactions) = self { transactions } else { [] } }
  }

  private(set) var heard: [Heard] = []
  /// What the app does when it hears something.
  var react: (@MainActor (any OnsidePaymentQueue, Heard) -> Void)?
  /// The README's observer, which runs inside each callback; nil for an app that finishes nothing by itself.
  var shop: ReadmeSample.Shop?
  private var waiting:
    [Int: (condition: @MainActor (Watcher) -> Bool, continuation: CheckedContinuation<Void, Never>)] = [:]
  private var waits = 0

  /// Every snapshot heard by `updatedTransactions`, in order.
  var updates: [OnsidePaymentTransaction] {
    heard.flatMap(\.updated)
  }

  var removals: [OnsidePaymentTransaction] {
    heard.flatMap(\.removed)
  }

  var revocations: [OnsidePaymentTransaction] {
    heard.flatMap(\.revoked)
  }

  /// The states heard of one transaction, in order.
  func states(of id: UUID) -> [OnsidePaymentTransactionState] {
    updates.filter { $0.id == id }.map(\.transactionState)
  }

  /// Returns when the condition holds, which is looked at after everything heard, or when the test's time is up.
  func until(
    _ condition: @escaping @MainActor (Watcher) -> Bool, sourceLocation location: SourceLocation = #_sourceLocation
  ) async {
    if condition(self) { return }
    waits += 1
    let number = waits
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting[number] = (condition, $0) }
    } onCancel: {
      Task { @MainActor in self.waiting.removeValue(forKey: number)?.continuation.resume() }
    }
    #expect(condition(self), "was still waited for; heard: \(heard)", sourceLocation: location)
  }

  /// The first snapshot in a state.
  func first(
    _ state: OnsidePaymentTransactionState, sourceLocation location: SourceLocation = #_sourceLocation
  ) async throws -> OnsidePaymentTransaction {
    await until({ $0.updates.contains { $0.transactionState == state } }, sourceLocation: location)
    return try #require(updates.first { $0.transactionState == state })
  }

  func forget() { heard = [] }

  func hear(_ news: Heard, queue: (any OnsidePaymentQueue)? = nil) {
    heard.append(news)
    if let queue { react?(queue, news) }
    for (number, waiter) in waiting where waiter.condition(self) {
      waiting[number] = nil
      waiter.continuation.resume()
    }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    hear(.updated(transactions), queue: queue)
    shop?.onsidePaymentQueue(queue, updatedTransactions: transactions)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) { hear(.removed(transactions), queue: queue) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) { hear(.revoked(transactions), queue: queue) }

  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {
    hear(.restoreFinished, queue: queue)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) { hear(.restoreFailed(error), queue: queue) }

  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    hear(.storefront(queue.storefront?.countryCode), queue: queue)
  }
}
