import Foundation
import OnsideKit

// The observers that the README and the documentation show, word for word; SampleTests compares and runs them.

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

// What the samples leave to the app.

extension ReadmeSample.Shop: Sample {}
extension GettingStartedSample.Shop: Sample {}

/// An app that delivers and takes back.
@MainActor
protocol Sample: OnsidePaymentTransactionObserver {}

extension Sample {
  func deliver(_ transaction: OnsidePaymentTransaction) { Receipts.of(self).delivered.append(transaction) }
  func takeBack(_ transaction: OnsidePaymentTransaction) { Receipts.of(self).takenBack.append(transaction) }
}

/// What a sample has delivered and taken back. A sample has no properties of its own.
@MainActor
final class Receipts {
  var delivered: [OnsidePaymentTransaction] = []
  var takenBack: [OnsidePaymentTransaction] = []
  private weak var app: (any Sample)?
  private static var all: [Receipts] = []

  private init(_ app: any Sample) { self.app = app }

  static func of(_ app: any Sample) -> Receipts {
    all.removeAll { $0.app == nil }
    if let known = all.first(where: { $0.app === app }) { return known }
    let receipts = Receipts(app)
    all.append(receipts)
    return receipts
  }
}
