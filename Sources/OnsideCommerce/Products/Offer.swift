/// A reduced price for the first periods of a subscription.
public struct Offer: Sendable, Hashable, Codable {
  /// The offer's identifier, unique within its product.
  public var id: String
  /// Who can have it.
  public var kind: OfferKind
  /// How it is paid.
  public var mode: PaymentMode
  /// The length of one period of the offer.
  public var period: Period
  /// How many such periods it lasts.
  public var periodCount: Int
  /// The price of one period, by country. A free trial needs none: it costs nothing wherever the product is sold.
  public var prices: [CountryCode: Money]
  /// For a win-back offer: when it can be had. Nil for ``WinBackRule/standard``.
  public var winBack: WinBackRule?
  /// For an offer of codes: who can redeem them. Nil for everybody.
  public var customers: [OfferCustomer]?

  /// An offer; `prices` may stay empty for a free trial.
  public init(
    id: String, kind: OfferKind, mode: PaymentMode, period: Period, periodCount: Int = 1,
    prices: [CountryCode: Money] = [:], winBack: WinBackRule? = nil, customers: [OfferCustomer]? = nil
  ) {
    self.id = id
    self.kind = kind
    self.mode = mode
    self.period = period
    self.periodCount = periodCount
    self.prices = prices
    self.winBack = winBack
    self.customers = customers
  }
}

/// Who can have an offer.
public struct OfferKind: RawRepresentable, Sendable, Hashable, Codable {
  /// The name on the wire.
  public let rawValue: String

  /// A kind by its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// For accounts that never subscribed in the product's group.
  public static let introductory = OfferKind(rawValue: "INTRODUCTORY")
  /// For present and past subscribers, when the app offers it.
  public static let promotional = OfferKind(rawValue: "PROMOTIONAL")
  /// For past subscribers, when the offer's rule says so.
  public static let winBack = OfferKind(rawValue: "WIN_BACK")
  /// For those who redeem one of its codes.
  public static let code = OfferKind(rawValue: "CODE")
}

/// How an offer is paid.
public struct PaymentMode: RawRepresentable, Sendable, Hashable, Codable {
  /// The name on the wire.
  public let rawValue: String

  /// A mode by its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Costs nothing for its whole length.
  public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
  /// Its price is paid for each of its periods.
  public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
  /// Its price is paid once, at the start, for its whole length.
  public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
}
