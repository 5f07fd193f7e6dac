public import Foundation
public import OnsideCommerce

/// A product with its texts and its price in one storefront (contract, section 1.5).
public struct OnsideProduct: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The identifier under which the store sells it.
  public let productIdentifier: String
  /// The title, in the best match of the user's languages.
  public let localizedTitle: String
  /// The description, in the best match of the user's languages.
  public let localizedDescription: String
  /// A picture, if there is one.
  public let iconUrl: URL?
  /// The subscription group; `nil` for one-time products.
  public let subscriptionGroupIdentifier: String?
  /// The subscription period; `nil` for one-time products.
  public let subscriptionPeriod: OnsidePeriod?
  /// The price; for a subscription what each period costs.
  public let price: OnsidePrice
  /// The introductory offer, if the account may use one.
  public let introductoryPrice: OnsidePricePeriod?
  /// The discounted offer, if there is one.
  public let discountedPrice: OnsidePricePeriod?
  /// Which of the four kinds it is. An addition to the published API.
  public let productType: ProductKind
  /// The country, ISO 3166-1 alpha-2, whose prices and texts these are: a purchase in another one asks the storefront
  /// gate first. `nil` when it is not known. An addition to the published API.
  public let storefrontCountryCode: String?

  /// Makes a product.
  public init(
    productIdentifier: String, localizedTitle: String, localizedDescription: String, iconUrl: URL? = nil,
    subscriptionGroupIdentifier: String? = nil, subscriptionPeriod: OnsidePeriod? = nil, price: OnsidePrice,
    introductoryPrice: OnsidePricePeriod? = nil, discountedPrice: OnsidePricePeriod? = nil, productType: ProductKind,
    storefrontCountryCode: String? = nil
  ) {
    self.productIdentifier = productIdentifier
    self.localizedTitle = localizedTitle
    self.localizedDescription = localizedDescription
    self.iconUrl = iconUrl
    self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
    self.subscriptionPeriod = subscriptionPeriod
    self.price = price
    self.introductoryPrice = introductoryPrice
    self.discountedPrice = discountedPrice
    self.productType = productType
    self.storefrontCountryCode = storefrontCountryCode
  }

  /// The identifier, the title and the price.
  public var description: String { "\(productIdentifier) (\(localizedTitle), \(price.formatted))" }
}

/// An amount of money. ``value`` is what the published API has; ``money`` and ``formatted`` are exact.
public struct OnsidePrice: Sendable, Hashable, Codable {
  /// The exact amount in minor units of its currency. An addition to the published API.
  public let money: Money
  /// The price as a person of that storefront reads it. An addition to the published API.
  public let formatted: String

  /// Makes a price.
  public init(money: Money, formatted: String) {
    self.money = money
    self.formatted = formatted
  }

  /// The amount in major units. Binary floating point: for display only; ``decimalValue`` is exact.
  public var value: Double { Double("\(money.decimal)") ?? .nan }
  /// The exact amount in major units. An addition to the published API.
  public var decimalValue: Decimal { money.decimal }
  /// The currency, ISO 4217.
  public var currencyCode: String { money.currency.code }
}

/// The price and period of an offer.
public struct OnsidePricePeriod: Sendable, Hashable, Codable {
  /// The price; zero for a free trial.
  public let price: OnsidePrice
  /// How long it lasts.
  public let period: OnsidePeriod
  /// Free trial, pay as you go or pay up front. An addition to the published API.
  public let paymentMode: PaymentMode
  /// How many periods the offer lasts. An addition to the published API.
  public let numberOfPeriods: Int

  /// Makes an offer price.
  public init(price: OnsidePrice, period: OnsidePeriod, paymentMode: PaymentMode, numberOfPeriods: Int = 1) {
    self.price = price
    self.period = period
    self.paymentMode = paymentMode
    self.numberOfPeriods = numberOfPeriods
  }
}

/// A length of time in calendar units.
public enum OnsidePeriod: Sendable, Hashable, Codable {
  /// A number of days.
  case day(UInt)
  /// A number of weeks.
  case week(UInt)
  /// A number of months.
  case month(UInt)
  /// A number of years.
  case year(UInt)
}

/// What a products request found.
public struct OnsideProductsResponse: Sendable, Hashable {
  /// The products, each once, in the catalogue's order.
  public let products: [OnsideProduct]
  /// The identifiers that name nothing sold in this storefront, each once.
  public let invalidProductIdentifiers: [String]

  /// Makes a response.
  public init(products: [OnsideProduct], invalidProductIdentifiers: [String]) {
    self.products = products
    self.invalidProductIdentifiers = invalidProductIdentifiers
  }
}
