public import Foundation
public import OnsideCommerce

/// A price as the store answers it: the exact amount and the text for the storefront and language.
public struct PriceMessage: Hashable, Sendable, Codable {
  /// The amount in minor units of its currency.
  public var amount: Int64
  /// The currency, ISO 4217.
  public var currency: Currency
  /// The price as a person of that storefront reads it, for example `4,99 €`.
  public var formatted: String

  /// Makes a price message.
  public init(_ money: Money, formatted: String) {
    self.amount = money.minorUnits
    self.currency = money.currency
    self.formatted = formatted
  }

  /// The exact amount of money.
  public var money: Money { Money(minorUnits: amount, currency: currency) }
}

/// An offer of a subscription, priced for one region.
public struct OfferMessage: Hashable, Sendable, Codable {
  /// The offer's identifier within its product.
  public var id: String
  /// Who can have it. Offers of codes are not listed.
  public var kind: OfferKind
  /// Free trial, pay as you go or pay up front.
  public var mode: PaymentMode
  /// The length of one offer period, ISO 8601 such as `P1W`.
  public var period: Period
  /// How many periods the offer lasts.
  public var periodCount: Int
  /// The price of one period (pay as you go) or of the whole (pay up front); zero for a free trial.
  public var price: PriceMessage

  enum CodingKeys: String, CodingKey {
    case id, kind, mode, period, price
    case periodCount = "period_count"
  }

  /// Makes an offer message.
  public init(id: String, kind: OfferKind, mode: PaymentMode, period: Period, periodCount: Int, price: PriceMessage) {
    self.id = id
    self.kind = kind
    self.mode = mode
    self.period = period
    self.periodCount = periodCount
    self.price = price
  }
}

/// One product with its texts in one language and its price in one region.
public struct ProductMessage: Hashable, Sendable, Codable {
  /// The product's identifier.
  public var id: String
  /// Which of the four kinds it is.
  public var kind: ProductKind
  /// The title in the best matching language.
  public var title: String
  /// The description in the best matching language.
  public var description: String
  /// A picture, if there is one.
  public var iconURL: URL?
  /// The price; for a subscription the recurring price of one period.
  public var price: PriceMessage
  /// The subscription group, for auto-renewable subscriptions.
  public var subscriptionGroupID: String?
  /// The subscription period, for auto-renewable subscriptions.
  public var subscriptionPeriod: Period?
  /// The rank within the subscription group, 1 for the highest service; nil for what is no subscription.
  public var subscriptionLevel: Int?
  /// For how many days after a renewal that failed a subscription still gives what it sells; nil for the store's own
  /// rule.
  public var subscriptionGraceDays: Int?
  /// The offers that the caller may have: introductory, win-back, and promotional, which needs its app's signature.
  public var offers: [OfferMessage]
  /// The offers that were not understood. Not on the wire.
  public var unreadOffers: [UnreadItem] = []

  enum CodingKeys: String, CodingKey {
    case id, kind, title, description, price, offers
    case iconURL = "icon_url"
    case subscriptionGroupID = "subscription_group_id"
    case subscriptionPeriod = "subscription_period"
    case subscriptionLevel = "subscription_level"
    case subscriptionGraceDays = "subscription_grace_days"
  }

  /// Makes a product message.
  public init(
    id: String, kind: ProductKind, title: String, description: String, iconURL: URL? = nil, price: PriceMessage,
    subscriptionGroupID: String? = nil, subscriptionPeriod: Period? = nil, subscriptionLevel: Int? = nil,
    subscriptionGraceDays: Int? = nil, offers: [OfferMessage] = []
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.description = description
    self.iconURL = iconURL
    self.price = price
    self.subscriptionGroupID = subscriptionGroupID
    self.subscriptionPeriod = subscriptionPeriod
    self.subscriptionLevel = subscriptionLevel
    self.subscriptionGraceDays = subscriptionGraceDays
    self.offers = offers
  }
}

extension ProductMessage {
  /// Reads a product. An offer that is not understood is left out: the product is sold without it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let offers = try container.decode(LenientList<OfferMessage>.self, forKey: .offers)
    self.init(
      id: try container.decode(String.self, forKey: .id), kind: try container.decode(ProductKind.self, forKey: .kind),
      title: try container.decode(String.self, forKey: .title),
      description: try container.decode(String.self, forKey: .description),
      iconURL: try container.decodeIfPresent(URL.self, forKey: .iconURL),
      price: try container.decode(PriceMessage.self, forKey: .price),
      subscriptionGroupID: try container.decodeIfPresent(String.self, forKey: .subscriptionGroupID),
      subscriptionPeriod: try container.decodeIfPresent(Period.self, forKey: .subscriptionPeriod),
      subscriptionLevel: try container.decodeIfPresent(Int.self, forKey: .subscriptionLevel),
      subscriptionGraceDays: try container.decodeIfPresent(Int.self, forKey: .subscriptionGraceDays),
      offers: offers.items)
    unreadOffers = offers.unread
  }
}

/// The answer of ``Route/products``.
public struct ProductsMessage: Hashable, Sendable, Codable {
  /// The region that the prices are for.
  public var country: CountryCode
  /// The products found, each once, in catalogue order.
  public var products: [ProductMessage]
  /// The identifiers that name nothing sold in this region, each once.
  public var invalidProductIDs: [String]
  /// The products that were not understood. Their identifiers are among ``invalidProductIDs``: this version cannot sell
  /// them. Not on the wire.
  public var unread: [UnreadItem] = []

  enum CodingKeys: String, CodingKey {
    case country, products
    case invalidProductIDs = "invalid_product_ids"
  }

  /// Makes an answer.
  public init(country: CountryCode, products: [ProductMessage], invalidProductIDs: [String]) {
    self.country = country
    self.products = products
    self.invalidProductIDs = invalidProductIDs
  }
}

extension ProductsMessage {
  /// Reads an answer, product by product.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let products = try container.decode(LenientList<ProductMessage>.self, forKey: .products)
    let invalid = try container.decode([String].self, forKey: .invalidProductIDs)
    let unread = products.unread.compactMap(\.id).filter { !invalid.contains($0) }
    self.init(
      country: try container.decode(CountryCode.self, forKey: .country), products: products.items,
      invalidProductIDs: invalid + unread)
    self.unread = products.unread
  }
}
