public import Foundation
public import OnsideCommerce

/// A product of the store, with its texts and its price for one country (contract, section 1.5).
///
/// Products come from ``Onside/makeProductsRequest(productIdentifiers:)`` or ``Onside/products(for:)``. To buy one,
/// pass it to ``OnsidePaymentQueue/add(_:completion:)`` in an ``OnsidePayment``. Load products again when the
/// storefront changes; a product may be encoded and kept, and the payment screen shows the price of the day before
/// anything is charged (GAT-4).
public struct OnsideProduct: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The identifier under which the store sells it.
  public let productIdentifier: String
  /// The title, in the best match of the user's languages, else the store's default (PRD-8).
  public let localizedTitle: String
  /// The description, in the best match of the user's languages, else the store's default (PRD-8).
  public let localizedDescription: String
  /// The address of a picture; `nil` when there is none.
  public let iconUrl: URL?
  /// The subscription group, of which an account has one subscription at a time; `nil` for one-time products.
  public let subscriptionGroupIdentifier: String?
  /// The length of one subscription period; `nil` for one-time products.
  public let subscriptionPeriod: OnsidePeriod?
  /// The regular price; for a subscription that of each period.
  public let price: OnsidePrice
  /// The introductory offer, such as a free trial; `nil` when there is none for this account (PRD-9).
  public let introductoryPrice: OnsidePricePeriod?
  /// A discounted price that a purchase without an offer is charged; `nil` in products of the store, which charges such
  /// a purchase the introductory or the regular price (PRD-9).
  ///
  /// For win-back and promotional offers see ``offers``.
  public let discountedPrice: OnsidePricePeriod?
  /// The kind: consumable, non-consumable, or one of two kinds of subscription. An addition to the published API.
  public let productType: ProductKind
  /// The country, ISO 3166-1 alpha-2, for which price and texts were fetched; `nil` when it is not known.
  ///
  /// A purchase in another country asks the storefront gate first (``OnsidePaymentQueueDelegate``). An addition to the
  /// published API.
  public let storefrontCountryCode: String?
  /// The offers that the account may have, of one kind the best first (PRD-12). An addition to the published API.
  public let offers: [OnsideProductOffer]

  /// Makes a product, for an app's own tests and previews; products to buy come from the store.
  public init(
    productIdentifier: String, localizedTitle: String, localizedDescription: String, iconUrl: URL? = nil,
    subscriptionGroupIdentifier: String? = nil, subscriptionPeriod: OnsidePeriod? = nil, price: OnsidePrice,
    introductoryPrice: OnsidePricePeriod? = nil, discountedPrice: OnsidePricePeriod? = nil, productType: ProductKind,
    storefrontCountryCode: String? = nil, offers: [OnsideProductOffer] = []
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
    self.offers = offers
  }

  /// The identifier, the title and the price, for logs.
  public var description: String { "\(productIdentifier) (\(localizedTitle), \(price.formatted))" }
}

extension OnsideProduct {
  /// Reads a product; one that was written before there were offers has none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      productIdentifier: try values.decode(String.self, forKey: .productIdentifier),
      localizedTitle: try values.decode(String.self, forKey: .localizedTitle),
      localizedDescription: try values.decode(String.self, forKey: .localizedDescription),
      iconUrl: try values.decodeIfPresent(URL.self, forKey: .iconUrl),
      subscriptionGroupIdentifier: try values.decodeIfPresent(String.self, forKey: .subscriptionGroupIdentifier),
      subscriptionPeriod: try values.decodeIfPresent(OnsidePeriod.self, forKey: .subscriptionPeriod),
      price: try values.decode(OnsidePrice.self, forKey: .price),
      introductoryPrice: try values.decodeIfPresent(OnsidePricePeriod.self, forKey: .introductoryPrice),
      discountedPrice: try values.decodeIfPresent(OnsidePricePeriod.self, forKey: .discountedPrice),
      productType: try values.decode(ProductKind.self, forKey: .productType),
      storefrontCountryCode: try values.decodeIfPresent(String.self, forKey: .storefrontCountryCode),
      offers: try values.decodeIfPresent([OnsideProductOffer].self, forKey: .offers) ?? [])
  }
}

/// A price: an exact amount in a currency, and its text for the user.
///
/// Show ``formatted``. Calculate with ``decimalValue`` or ``money``, which are exact, and never with ``value``, which
/// the published API has.
public struct OnsidePrice: Sendable, Hashable, Codable {
  /// The exact amount in minor units of its currency, such as cents. An addition to the published API.
  public let money: Money
  /// The price as text in the conventions of the storefront, with the currency, as the store formats it (PRD-6). An
  /// addition to the published API.
  public let formatted: String

  /// Makes a price, for an app's own tests and previews.
  public init(money: Money, formatted: String) {
    self.money = money
    self.formatted = formatted
  }

  /// The amount in major units, such as euros. Binary floating point: for display only; ``decimalValue`` is exact.
  public var value: Double { Double("\(money.decimal)") ?? .nan }
  /// The exact amount in major units, such as `4.99`. An addition to the published API.
  public var decimalValue: Decimal { money.decimal }
  /// The currency's code by ISO 4217, for example `EUR`.
  public var currencyCode: String { money.currency.code }
}

/// An offer of a subscription: its price, its period, and how it is paid.
///
/// An offer with ``paymentMode`` free trial has a ``price`` of zero.
public struct OnsidePricePeriod: Sendable, Hashable, Codable {
  /// The price of one ``period`` of the offer; zero for a free trial.
  public let price: OnsidePrice
  /// The length of one period of the offer.
  public let period: OnsidePeriod
  /// The way to pay: free trial, pay as you go or pay up front. An addition to the published API.
  public let paymentMode: PaymentMode
  /// The number of periods that the offer lasts, at least 1. An addition to the published API.
  public let numberOfPeriods: Int

  /// Makes an offer, for an app's own tests and previews.
  public init(price: OnsidePrice, period: OnsidePeriod, paymentMode: PaymentMode, numberOfPeriods: Int = 1) {
    self.price = price
    self.period = period
    self.paymentMode = paymentMode
    self.numberOfPeriods = numberOfPeriods
  }
}

/// A length of time in calendar units, such as the period of a subscription. The counts are 1 or more.
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

/// The response to a products request: each identifier that was asked for is in exactly one of two lists (PRD-1).
public struct OnsideProductsResponse: Sendable, Hashable {
  /// The products that the store sells in the region, each once, in the catalogue's order.
  public let products: [OnsideProduct]
  /// The identifiers under which nothing is sold in the region, each once; also those of products that could not be
  /// read (PRD-7, PRD-10).
  public let invalidProductIdentifiers: [String]

  /// Makes a response, for an app's own tests.
  public init(products: [OnsideProduct], invalidProductIdentifiers: [String]) {
    self.products = products
    self.invalidProductIdentifiers = invalidProductIdentifiers
  }
}
