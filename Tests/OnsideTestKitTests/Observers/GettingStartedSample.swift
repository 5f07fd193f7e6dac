import Foundation
import OnsideKit

// From Sources/OnsideKit/OnsideKit.docc/GettingStarted.md, by `script/check-samples --write`.
enum GettingStartedSample {
  final class Shop: OnsidePaymentTransactionObserver {
    func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {
      for transaction in updatedTransactions {
        switch transaction.transactionState {
        case .purchased, .restored:
          deliver(transaction)
          queue.finishTransaction(transaction)
        case .failed: queue.finishTransaction(transaction)
        case .purchasing: break
        }
      }
    }

    func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, revokedTransactions: [OnsidePaymentTransaction]) {
      for transaction in revokedTransactions { takeBack(transaction) }
    }
  }
}
