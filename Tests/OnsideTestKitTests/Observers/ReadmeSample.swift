import Foundation
import OnsideKit

// From README.md, by `script/check-samples --write`.
enum ReadmeSample {
  final class Shop: OnsidePaymentTransactionObserver {
    func start() throws {
      Onside.initialize(
        configuration: try OnsideConfiguration(
          storeURL: URL(string: "http://127.0.0.1:8080")!, appIdentifier: "io.example.lumen"))
      Onside.defaultPaymentQueue().add(observer: self)
    }

    func buy(_ identifier: String) async throws {
      guard let product = try await Onside.products(for: [identifier]).products.first else { return }
      try await Onside.defaultPaymentQueue().add(OnsidePayment(product: product))  // logs in if need be
    }

    func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {
      for transaction in updatedTransactions {
        switch transaction.transactionState {
        case .purchased, .restored:
          deliver(transaction)  // each id once
          queue.finishTransaction(transaction)  // until then it comes back at every launch
        case .failed:
          queue.finishTransaction(transaction)  // declined or cancelled: nothing is delivered
        case .purchasing:
          break  // not paid yet
        }
      }
    }

    func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, revokedTransactions: [OnsidePaymentTransaction]) {
      for transaction in revokedTransactions { takeBack(transaction) }  // refunded
    }
  }
}
