import Foundation
import OnsideKit
import Testing

/// Uses every published symbol as the contract, section 1, shows it. It only has to compile: no `@testable` here.
@MainActor
final class PublishedInterface: OnsideDelegate, OnsidePaymentQueueDelegate, OnsidePaymentTransactionObserver,
  OnsideProductsRequestDelegate, OnsideSignedInAppsHistoryRequestDelegate
{
  func facade(url: URL) async {
    Onside.initialize()
    Onside.callbackScheme = "lumen-auth"
    let _: String? = Onside.callbackScheme
    Onside.delegate = self
    _ = Onside.handle(url: url)
    Onside.appearance().setThemeMode(.dark)
    // In an async function too, the published calls are the published ones.
    Onside.requestLogin()
    Onside.requestLogin { (result: Result<Void, OnsideLoginError>) in if case .failure(.loginDiscarded) = result {} }
    Onside.logout()
    Onside.presentPaymentMethodsManager()
    Onside.presentPaymentMethodsManager { (result: Result<Void, OnsidePaymentMethodsManagerError>) in _ = result }
    Onside.getAttributionMetadata { (result: Result<OnsideAttributionMetadata, OnsideAttributionMetadataError>) in
      let _: URL? = try? result.get().refererUrl
    }
    Onside.trackEvent("level_done")
    Onside.trackEvent(
      .purchaseCompleted, parameters: ["currency": "EUR", "amount": 9.99, "gift": true, "ids": [1, 2]])
    _ = try? await Onside.attributionMetadata().refererUrl
    try? await Onside.login()
    try? await Onside.managePaymentMethods()
    _ = try? await Onside.products(for: ["a"]).products
    _ = try? await Onside.signedInAppsHistory().string
  }

  func products() -> any OnsideProductsRequest {
    let request: any OnsideProductsRequest = Onside.makeProductsRequest(productIdentifiers: ["a"])
    request.delegate = self
    request.start()
    request.stop()
    return request
  }

  func history() {
    let made: Result<any OnsideSignedInAppsHistoryRequest, OnsideSignedInAppsHistoryRequestError> =
      Onside.makeSignedInAppsHistoryRequest()
    guard case .success(let request) = made else { return }
    request.delegate = self
    request.start()
    request.stop()
  }

  func queue(_ product: OnsideProduct) {
    let queue: any OnsidePaymentQueue = Onside.defaultPaymentQueue()
    queue.delegate = self
    queue.add(observer: self)
    queue.remove(observer: self)
    let _: OnsideStorefront? = queue.storefront
    let _: [any OnsidePaymentTransactionObserver] = queue.transactionObservers
    queue.add(.init(product: product), completion: nil)
    var payment = OnsidePayment(product: product)
    payment.appAccountToken = "me"
    queue.add(payment) { (result: Result<Void, OnsidePaymentQueueAddProductError>) in _ = result }
    queue.restoreCompletedTransactions { (result: Result<Void, OnsidePaymentQueueRequestRestoreError>) in _ = result }
    for transaction in queue.transactions { queue.finishTransaction(transaction) }
  }

  func values(_ transaction: OnsidePaymentTransaction, _ product: OnsideProduct) {
    let _: UUID = transaction.id
    let _: (String?, String?) = (transaction.transactionIdentifier, transaction.originalTransactionIdentifier)
    let _: OnsidePaymentTransactionError? = transaction.error
    let _: String = transaction.storefront.countryCode + transaction.storefront.id
    _ = transaction.isSame(as: transaction)
    switch transaction.transactionState {
    case .purchasing, .purchased, .restored, .failed: break
    @unknown default: break
    }
    let _: String = product.productIdentifier + product.localizedTitle + product.localizedDescription
    let _: (URL?, String?) = (product.iconUrl, product.subscriptionGroupIdentifier)
    let _: (String, String) = (String(product.price.value), product.price.currencyCode)
    let _: [OnsidePricePeriod?] = [product.introductoryPrice, product.discountedPrice]
    switch product.subscriptionPeriod {
    case .day(let count), .week(let count), .month(let count), .year(let count): _ = Int(count)
    case nil: break
    }
  }

  // OnsideDelegate
  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? { screen == .login ? .light : .auto }
  func onsideShouldForceLocalLoginMethods() -> Bool { true }
  func onsideDefaultCountryCodeAssumption() -> String? { "NL" }

  // OnsidePaymentQueueDelegate
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool { true }

  // OnsidePaymentTransactionObserver
  func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {}
  func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, removedTransactions: [OnsidePaymentTransaction]) {}
  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {}
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) {}
  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {}

  // OnsideProductsRequestDelegate
  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse) {
    let _: ([OnsideProduct], [String]) = (response.products, response.invalidProductIdentifiers)
  }
  func onsideProductsRequest(_ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError) {
  }
  func onsideProductsRequestDidFinish(_ request: any OnsideProductsRequest) {}

  // OnsideSignedInAppsHistoryRequestDelegate
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didReceive history: OnsideSignedInAppsHistory
  ) {
    let _: (Data, String?) = (history.data, history.string)
  }
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didFailWithError error: OnsideSignedInAppsHistoryRequestError
  ) {}
}

/// An observer needs one member only.
@MainActor
final class SmallestObserver: OnsidePaymentTransactionObserver {
  func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {}
}

/// A delegate needs none.
@MainActor
final class SmallestDelegate: OnsideDelegate, OnsidePaymentQueueDelegate {}

@Suite(.timeLimit(.minutes(5)))
struct PublishedErrorTests {
  private func json(_ error: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(error), as: UTF8.self)
  }

  @Test("JSB-3: a published error encodes as its case name with an empty object")
  func errors() throws {
    #expect(try json(OnsideLoginError.loginDiscarded) == #"{"loginDiscarded":{}}"#)
    #expect(try json(OnsideProductsRequestError.invalidProductIdentifier) == #"{"invalidProductIdentifier":{}}"#)
    #expect(try json(OnsidePaymentTransactionError.presentationFailed) == #"{"presentationFailed":{}}"#)
  }
}
