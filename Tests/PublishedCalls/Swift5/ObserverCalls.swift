import Foundation
import OnsideKit

// Calls that Swift 5 compiles, from code that names no actor. In Swift 6 they are warnings, since what is published
// says `@preconcurrency`.

/// An observer that removes itself when it goes away.
final class SelfRemovingObserver: OnsidePaymentTransactionObserver {
  init() { Onside.defaultPaymentQueue().add(observer: self) }
  deinit { Onside.defaultPaymentQueue().remove(observer: self) }

  func onsidePaymentQueue(_ queue: OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {}
}

/// The same with a queue that it keeps, on whichever thread it goes away.
final class QueueKeepingObserver: NSObject, OnsidePaymentTransactionObserver {
  private let queue: OnsidePaymentQueue

  init(_ queue: OnsidePaymentQueue) {
    self.queue = queue
    super.init()
    queue.add(observer: self)
  }

  deinit { queue.remove(observer: self) }

  func onsidePaymentQueue(_ queue: OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {}
}

/// A module of a wrapper: plain classes, closures and functions without an actor.
final class WrapperModule {
  private var observer: WrapperObserver?
  private var request: OnsideProductsRequest?
  private var resume: ((Bool) -> Void)?

  func initConnection() {
    let observer = WrapperObserver()
    observer.owner = self
    Onside.defaultPaymentQueue().add(observer: observer)
    self.observer = observer
  }

  func endConnection() {
    if let observer { Onside.defaultPaymentQueue().remove(observer: observer) }
    observer = nil
    resume?(false)
  }

  func fetch(_ identifiers: [String], _ delegate: WrapperProductsDelegate) {
    if Onside.defaultPaymentQueue().storefront == nil { Onside.requestLogin() }
    request = Onside.makeProductsRequest(productIdentifiers: Set(identifiers))
    request?.delegate = delegate
    request?.start()
  }

  func purchase(_ product: OnsideProduct, _ done: @escaping (Bool) -> Void) {
    Onside.defaultPaymentQueue().add(OnsidePayment(product: product)) { result in
      if case .success = result { done(true) } else { done(false) }
    }
  }

  func restore(_ done: @escaping (Bool) -> Void) {
    resume = done
    Onside.defaultPaymentQueue().restoreCompletedTransactions { [weak self] _ in self?.resume?(true) }
  }

  func heard(_ transactions: [OnsidePaymentTransaction]) {
    DispatchQueue.main.async {
      for transaction in transactions { Onside.defaultPaymentQueue().finishTransaction(transaction) }
    }
  }

  func open(_ url: URL) -> Bool {
    Onside.initialize()
    Onside.callbackScheme = "com.example.app.onside-auth"
    return Onside.handle(url: url)
  }
}

final class WrapperObserver: OnsidePaymentTransactionObserver {
  weak var owner: WrapperModule?

  func onsidePaymentQueue(_ queue: OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]) {
    Task { @MainActor in owner?.heard(transactions) }
  }
}

/// With the name of releases before 1.0, and a continuation.
final class WrapperProductsDelegate: OnsideProductsRequestDelegate {
  var continuation: CheckedContinuation<OnsideProductsResponse, Error>?

  func onsideProductsRequest(_ request: OnsideProductsRequest, didReceive response: OnsideProductsResponse) {
    continuation?.resume(returning: response)
    continuation = nil
  }

  func onsideProductsRequestRequest(
    _ request: OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {
    continuation?.resume(throwing: error)
    continuation = nil
  }

  func onsideProductsRequestDidFinish(_ request: OnsideProductsRequest) {}
}
