import Foundation
import OnsideCommerce

// Products as pages see them (contract, section 3.4). `BridgeType` describes these types for TypeScript.

struct JSPrice: Encodable {
  /// In major units. The encoder writes a decimal exactly.
  let value: Decimal
  let currencyCode: String
  let formatted: String

  init(_ price: OnsidePrice) {
    value = price.decimalValue
    currencyCode = price.currencyCode
    formatted = price.formatted
  }
}

struct JSPeriod: Encodable {
  let unit: String
  let numberOfUnits: UInt

  init(_ period: OnsidePeriod) {
    (unit, numberOfUnits) =
      switch period {
      case .day(let count): ("day", count)
      case .week(let count): ("week", count)
      case .month(let count): ("month", count)
      case .year(let count): ("year", count)
      }
  }
}

struct JSPricePeriod: Encodable {
  let price: JSPrice
  let period: JSPeriod
  let paymentMode: String
  let numberOfPeriods: Int

  init(_ offer: OnsidePricePeriod) {
    price = JSPrice(offer.price)
    period = JSPeriod(offer.period)
    paymentMode = offer.paymentMode.rawValue
    numberOfPeriods = offer.numberOfPeriods
  }
}

struct JSProductOffer: Encodable {
  let offerIdentifier: String
  let kind: String
  let terms: JSPricePeriod

  init(_ offer: OnsideProductOffer) {
    offerIdentifier = offer.offerIdentifier
    kind = offer.kind.rawValue
    terms = JSPricePeriod(offer.terms)
  }
}

struct JSProduct: Encodable {
  let productIdentifier: String
  let localizedTitle: String
  let localizedDescription: String
  let iconUrl: URL?
  let subscriptionGroupIdentifier: String?
  let subscriptionPeriod: JSPeriod?
  let price: JSPrice
  let introductoryPrice: JSPricePeriod?
  let discountedPrice: JSPricePeriod?
  let productType: String
  let offers: [JSProductOffer]

  init(_ product: OnsideProduct) {
    productIdentifier = product.productIdentifier
    localizedTitle = product.localizedTitle
    localizedDescription = product.localizedDescription
    iconUrl = product.iconUrl
    subscriptionGroupIdentifier = product.subscriptionGroupIdentifier
    subscriptionPeriod = product.subscriptionPeriod.map(JSPeriod.init)
    price = JSPrice(product.price)
    introductoryPrice = product.introductoryPrice.map(JSPricePeriod.init)
    discountedPrice = product.discountedPrice.map(JSPricePeriod.init)
    productType = product.productType.rawValue
    offers = product.offers.map(JSProductOffer.init)
  }
}

struct JSProductsResponse: Encodable {
  let products: [JSProduct]
  let invalidProductIdentifiers: [String]

  init(_ response: OnsideProductsResponse) {
    products = response.products.map(JSProduct.init)
    invalidProductIdentifiers = response.invalidProductIdentifiers
  }
}
