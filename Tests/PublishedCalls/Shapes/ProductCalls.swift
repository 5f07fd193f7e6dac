import Foundation
import OnsideKit

/// Products (contract, section 1.5): a request that is kept, and replaced on reload.
@MainActor
final class ProductCalls: OnsideProductsRequestDelegate {
  private var request: OnsideProductsRequest?
  private(set) var products: [OnsideProduct] = []

  func load() {
    let request = Onside.makeProductsRequest(productIdentifiers: ["coins_100", "pro_yearly"])
    request.delegate = self
    request.start()
    self.request = request
  }

  func stop() {
    request?.delegate = nil
    request?.stop()
    request = nil
  }

  func onsideProductsRequest(_ request: OnsideProductsRequest, didReceive response: OnsideProductsResponse) {
    products = response.products
    let _: [String] = response.invalidProductIdentifiers
  }

  func onsideProductsRequest(_ request: OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError) {
    print(error)
  }

  func onsideProductsRequestDidFinish(_ request: OnsideProductsRequest) { self.request = nil }
}

/// A delegate written for releases before 1.0.
@MainActor
final class OlderProductsDelegate: OnsideProductsRequestDelegate {
  private(set) var failure: OnsideProductsRequestError?

  func onsideProductsRequest(_ request: OnsideProductsRequest, didReceive response: OnsideProductsResponse) {}

  func onsideProductsRequestRequest(
    _ request: OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {
    failure = error
  }

  func onsideProductsRequestDidFinish(_ request: OnsideProductsRequest) {}
}

/// The members of a product.
enum ProductValues {
  static func read(_ product: OnsideProduct) {
    let _: String = product.productIdentifier + product.localizedTitle + product.localizedDescription
    let _: String = product.description
    let _: URL? = product.iconUrl
    let _: String? = product.subscriptionGroupIdentifier
    read(product.price)
    let isSubscription = product.subscriptionPeriod != nil
    let offers: [OnsidePricePeriod?] = [product.introductoryPrice, product.discountedPrice]
    for case let offer? in offers {
      let isTrial = offer.price.value == 0
      print(isSubscription, isTrial, days(offer.period))
    }
  }

  private static func read(_ price: OnsidePrice) {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.currencyCode = price.currencyCode
    let _: String = formatter.string(from: NSNumber(value: price.value)) ?? String(price.value)
  }

  private static func days(_ period: OnsidePeriod) -> Int {
    switch period {
    case .day(let count): Int(count)
    case .week(let count): Int(count) * 7
    case .month(let count): Int(count) * 30
    case .year(let count): Int(count) * 365
    @unknown default: 0
    }
  }
}
