import Foundation
import OnsideKit

/// Writes what the SDK tells: one line each, its words apart by tabs.
@MainActor
final class Reporter: OnsidePaymentTransactionObserver, OnsidePaymentQueueDelegate {
  nonisolated static func say(_ words: String...) {
    FileHandle.standardOutput.write(Data((words.joined(separator: "\t") + "\n").utf8))
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions {
      Self.say(
        "updated", transaction.id.uuidString, transaction.transactionState.rawValue,
        transaction.deliveryReason.rawValue, transaction.error.map { "\($0)" } ?? "")
    }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions { Self.say("removed", transaction.id.uuidString) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions { Self.say("revoked", transaction.id.uuidString) }
  }

  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    Self.say("storefront", queue.storefront?.countryCode ?? "none")
  }
}
