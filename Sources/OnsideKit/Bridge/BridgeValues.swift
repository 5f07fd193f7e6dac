import Foundation
import OnsideCommerce

// The published values as pages see them (contract, section 3.4). `BridgeType` describes them for TypeScript.

struct JSPrice: Encodable, Hashable {
  let value: Decimal
  let currencyCode: String
  let formatted: String

  init(_ price: OnsidePrice) {
    value = price.decimalValue
    currencyCode = price.currencyCode
    formatted = price.formatted
  }
}

struct JSPeriod: Encodable, Hashable {
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

struct JSPricePeriod: Encodable, Hashable {
  let price: JSPrice
  let period: JSPeriod
  let paymentMode: PaymentMode
  let numberOfPeriods: Int

  init(_ offer: OnsidePricePeriod) {
    price = JSPrice(offer.price)
    period = JSPeriod(offer.period)
    paymentMode = offer.paymentMode
    numberOfPeriods = offer.numberOfPeriods
  }
}

struct JSProduct: Encodable, Hashable {
  let productIdentifier: String
  let localizedTitle: String
  let localizedDescription: String
  let iconUrl: URL?
  let subscriptionGroupIdentifier: String?
  let subscriptionPeriod: JSPeriod?
  let price: JSPrice
  let introductoryPrice: JSPricePeriod?
  let discountedPrice: JSPricePeriod?
  let productType: ProductKind

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
    productType = product.productType
  }
}

struct JSProductsResponse: Encodable, Hashable {
  let products: [JSProduct]
  let invalidProductIdentifiers: [String]

  init(_ response: OnsideProductsResponse) {
    products = response.products.map(JSProduct.init)
    invalidProductIdentifiers = response.invalidProductIdentifiers
  }
}

struct JSPayment: Encodable, Hashable {
  let product: JSProduct
  let appAccountToken: String?
}

struct JSPaymentTransaction: Encodable, Hashable {
  let id: String
  let transactionIdentifier: String?
  let originalTransactionIdentifier: String?
  let payment: JSPayment
  let transactionState: OnsidePaymentTransactionState
  let storefront: OnsideStorefront
  let error: OnsidePaymentTransactionError?
  let deliveryReason: String

  init(_ transaction: OnsidePaymentTransaction) {
    id = transaction.id.uuidString.lowercased()
    transactionIdentifier = transaction.transactionIdentifier
    originalTransactionIdentifier = transaction.originalTransactionIdentifier
    payment = JSPayment(
      product: JSProduct(transaction.payment.product), appAccountToken: transaction.payment.appAccountToken)
    transactionState = transaction.transactionState
    storefront = transaction.storefront
    error = transaction.error
    deliveryReason = transaction.deliveryReason.rawValue
  }
}

/// The transactions given, turned into JSON only where they are written.
struct JSTransactions: Encodable, Sendable {
  let transactions: [OnsidePaymentTransaction]

  func encode(to encoder: any Encoder) throws {
    try transactions.map(JSPaymentTransaction.init).encode(to: encoder)
  }
}

struct JSAttributionMetadata: Encodable, Hashable {
  let refererUrl: URL?
}

struct JSSignedInAppsHistory: Encodable, Hashable {
  let dataBase64: String
  let string: String?

  init(_ history: OnsideSignedInAppsHistory) {
    dataBase64 = history.data.base64EncodedString()
    string = history.string
  }
}
