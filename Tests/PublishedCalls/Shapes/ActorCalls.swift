import Foundation
import OnsideKit

/// Calls from another actor: each waits for the main actor.
actor Catalogue {
  private var countryCode: String?

  func region() async -> String? {
    countryCode = await Onside.defaultPaymentQueue().storefront?.countryCode
    return countryCode
  }

  func unfinished() async -> [OnsidePaymentTransaction] {
    let queue = await Onside.defaultPaymentQueue()
    return await queue.transactions
  }

  func finish(_ transaction: OnsidePaymentTransaction) async {
    await Onside.defaultPaymentQueue().finishTransaction(transaction)
  }

  func buy(_ product: OnsideProduct) async {
    await Onside.defaultPaymentQueue().add(OnsidePayment(product: product), completion: nil)
    await Onside.defaultPaymentQueue().restoreCompletedTransactions { result in print(result) }
    await Onside.requestLogin()
    await Onside.logout()
  }

  func observe(_ observer: SampleObserver) async {
    await Onside.defaultPaymentQueue().add(observer: observer)
    await Onside.defaultPaymentQueue().remove(observer: observer)
  }

  func request(_ delegate: ProductCalls) async -> OnsideProductsRequest {
    let request = await Onside.makeProductsRequest(productIdentifiers: ["coins_100"])
    await MainActor.run { request.delegate = delegate }
    await request.start()
    return request
  }

  func history() async -> OnsideSignedInAppsHistoryRequest? {
    let request = try? await Onside.makeSignedInAppsHistoryRequest().get()
    await request?.start()
    return request
  }

  func theme() async { await Onside.appearance().setThemeMode(.dark) }
}

/// Functions without an actor, as in view models and tools.
enum AsyncCalls {
  static func waitForRegion() async throws -> String? {
    await Onside.requestLogin()
    // As the wrapper for Expo does.
    for _ in 0..<10 {
      if let storefront = await Onside.defaultPaymentQueue().storefront { return storefront.countryCode }
      try await Task.sleep(for: .milliseconds(500))
    }
    return nil
  }

  static func login() async -> Bool {
    await withCheckedContinuation { continuation in
      Task { @MainActor in
        Onside.requestLogin { result in
          if case .success = result {
            continuation.resume(returning: true)
          } else {
            continuation.resume(returning: false)
          }
        }
      }
    }
  }

  static func inATask(_ payment: OnsidePayment) {
    Task { @MainActor in Onside.defaultPaymentQueue().add(payment, completion: nil) }
    Task { print(await Onside.defaultPaymentQueue().transactions.count) }
  }
}
