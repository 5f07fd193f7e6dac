import Foundation
import OnsideKit

// Every call of the published API, written as apps write it: one file for each part, compiled as Swift 5 and 6.
// It only has to compile. Published types are written without `any`, as in the API's own documents.

/// The facade (contract, section 1.1).
@MainActor
final class FacadeCalls {
  func launch() {
    Onside.initialize()
    Onside.initialize(storeKitConfigurationName: "Example")
    Onside.callbackScheme = "com.example.app.onside-auth"
    let _: String? = Onside.callbackScheme
  }

  func open(url: URL) -> Bool {
    _ = Onside.handle(url: url)
    return Onside.handle(url: url)
  }

  func account() {
    Onside.requestLogin()
    Onside.requestLogin { result in
      if case .failure(.loginDiscarded) = result { print("later, then") }
    }
    Onside.requestLogin(completion: { (result: Result<Void, OnsideLoginError>) in _ = result })
    Onside.requestLogin(completion: nil)
    Onside.logout()
  }

  func refund(_ transaction: OnsidePaymentTransaction) {
    Onside.presentRefundRequest(for: transaction)
    Onside.presentRefundRequest(for: transaction) { result in
      if case .failure(.purchaseNotFound) = result { print("another account's") }
    }
  }

  func paymentMethods() {
    Onside.presentPaymentMethodsManager()
    Onside.presentPaymentMethodsManager { result in
      switch result {
      case .success: print("closed")
      case .failure(.notSupportedInLocalTesting): print("a .storekit file has no cards")
      case .failure(let error): print(error)
      }
    }
  }

  func attribution() {
    Onside.getAttributionMetadata { result in
      guard case .success(let metadata) = result, let address: URL = metadata.refererUrl else { return }
      print(address)
    }
    Onside.getAttributionMetadata(
      completion: { (result: Result<OnsideAttributionMetadata, OnsideAttributionMetadataError>) in _ = result })
  }

  func appearance() {
    let appearance: OnsideAppearance = Onside.appearance()
    for mode: OnsideUIThemeMode in [.auto, .light, .dark] { appearance.setThemeMode(mode) }
    let _: Set<OnsideUIThemeMode> = [.auto, .dark]
  }

  // In an async function, too, these are the published calls, and need no `await`.
  func published() async {
    Onside.requestLogin()
    Onside.presentPaymentMethodsManager()
    Onside.defaultPaymentQueue().restoreCompletedTransactions(completion: nil)
    Onside.logout()
  }

  // Additions to the published API.
  func additions() async throws {
    Onside.trackEvent("level_done")
    Onside.trackEvent(
      .purchaseCompleted, parameters: ["currency": "EUR", "amount": 9.99, "gift": true, "ids": [1, 2]])
    try await Onside.login()
    try await Onside.managePaymentMethods()
    _ = try await Onside.attributionMetadata().refererUrl
    _ = try await Onside.products(for: ["coins_100"]).products
    _ = try await Onside.signedInAppsHistory().string
  }
}
