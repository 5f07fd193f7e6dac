import Foundation
import OnsideKit

/// The payment queue (contract, section 1.3).
@MainActor
final class QueueCalls {
  private let observer = SmallestObserver()

  func observe() {
    let queue: OnsidePaymentQueue = Onside.defaultPaymentQueue()
    queue.add(observer: observer)
    let _: [OnsidePaymentTransactionObserver] = queue.transactionObservers
    queue.remove(observer: observer)
    let _: OnsideStorefront? = queue.storefront
    if let country = queue.storefront?.countryCode, !country.isEmpty { print(country) }
  }

  func buy(_ product: OnsideProduct) {
    let queue = Onside.defaultPaymentQueue()
    queue.add(OnsidePayment(product: product), completion: nil)
    queue.add(.init(product: product), completion: nil)
    var payment = OnsidePayment(product: product)
    payment.appAccountToken = UUID().uuidString
    queue.add(payment) { result in
      switch result {
      case .success: print("on its way")
      case .failure(.loginDiscarded): print("not logged in")
      case .failure(.rejectedAfterLogin): print("rejected")
      @unknown default: print("not taken")
      }
    }
    queue.add(payment, completion: { (result: Result<Void, OnsidePaymentQueueAddProductError>) in _ = result })
  }

  // A completion that a caller hands on has the published type.
  func buy(
    _ product: OnsideProduct, completion: ((Result<Void, OnsidePaymentQueueAddProductError>) -> Void)?
  ) {
    Onside.defaultPaymentQueue().add(OnsidePayment(product: product), completion: completion)
  }

  // Additions to the published calls.
  func purchase(_ product: OnsideProduct) async throws {
    let result: OnsidePurchaseResult = try await Onside.defaultPaymentQueue().purchase(product)
    switch result {
    case .purchased(let transaction): Onside.defaultPaymentQueue().finishTransaction(transaction)
    case .pending(let transaction): print(transaction.isFinished)
    case .cancelled, .loginDiscarded: break
    }
    _ = try await Onside.defaultPaymentQueue().purchase(product, appAccountToken: UUID().uuidString)
    for await event in Onside.defaultPaymentQueue().events {
      switch event.kind {
      case .updated, .removed, .revoked: print(event.transactions.count)
      case .restoreFailed: print(event.restoreError as Any)
      case .storefrontChanged: print(event.storefront as Any)
      default: break
      }
    }
  }

  func restore() {
    let queue = Onside.defaultPaymentQueue()
    queue.restoreCompletedTransactions(completion: nil)
    queue.restoreCompletedTransactions { (result: Result<Void, OnsidePaymentQueueRequestRestoreError>) in
      if case .failure(let error) = result { print(error == .loginDiscarded) }
    }
  }

  func finish() {
    let queue = Onside.defaultPaymentQueue()
    for transaction in queue.transactions { queue.finishTransaction(transaction) }
    // As the wrapper for Expo does: by identifier, else by product and state.
    let wanted = "0198"
    let found =
      queue.transactions.first { $0.transactionIdentifier == wanted }
      ?? queue.transactions.first { transaction in
        transaction.payment.product.productIdentifier == wanted
          && (transaction.transactionState == .purchased || transaction.transactionState == .restored)
      }
    if let found { queue.finishTransaction(found) }
  }
}

/// An observer with every method, as the vendor's sample has it.
@MainActor
final class SampleObserver: OnsidePaymentTransactionObserver {
  private(set) var countryCode: String?
  private(set) var isRestoring = false

  init() {
    countryCode = Onside.defaultPaymentQueue().storefront?.countryCode
    Onside.defaultPaymentQueue().add(observer: self)
  }

  func onsidePaymentQueue(_ queue: OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {
    for transaction in updatedTransactions {
      switch transaction.transactionState {
      case .purchasing: continue
      case .purchased, .restored: deliver(transaction)
      case .failed: print(transaction.error == .cancelled)
      @unknown default: break
      }
      queue.finishTransaction(transaction)
    }
  }

  func onsidePaymentQueue(_ queue: OnsidePaymentQueue, removedTransactions: [OnsidePaymentTransaction]) {
    print(removedTransactions.map(\.id))
  }

  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: OnsidePaymentQueue) { isRestoring = false }

  func onsidePaymentQueue(
    _ queue: OnsidePaymentQueue, restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) {
    isRestoring = false
  }

  func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue) {
    countryCode = queue.storefront?.countryCode
  }

  private func deliver(_ transaction: OnsidePaymentTransaction) {}
}

/// One method is enough, and its second parameter may have a name of its own.
final class SmallestObserver: OnsidePaymentTransactionObserver {
  func onsidePaymentQueue(
    _ queue: OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    Task { @MainActor in for transaction in transactions { queue.finishTransaction(transaction) } }
  }
}

/// A subclass of NSObject conforms by an extension.
@MainActor
final class ObjectObserver: NSObject {}

extension ObjectObserver: OnsidePaymentTransactionObserver {
  func onsidePaymentQueue(_ queue: OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {}
}

/// The storefront gate, at once.
@MainActor
final class GateDelegate: OnsidePaymentQueueDelegate {
  func onsidePaymentQueue(
    _ queue: OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction, in storefront: OnsideStorefront
  ) -> Bool { storefront.countryCode == transaction.storefront.countryCode }
}

/// The storefront gate, with time to ask the user; and the gate after a login.
@MainActor
final class AskingGateDelegate: OnsidePaymentQueueDelegate {
  func onsidePaymentQueue(
    _ queue: OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction, in storefront: OnsideStorefront
  ) async -> Bool { await ask("Buy in \(storefront.countryCode)?") }

  func onsidePaymentQueue(
    _ queue: OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool { await ask("Buy now?") }

  private func ask(_ question: String) async -> Bool { true }
}
