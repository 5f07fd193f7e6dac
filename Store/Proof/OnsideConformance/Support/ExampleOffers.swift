import OnsideCommerce

/// Offers of the monthly plan that cases add to the example shop.
enum ExampleOffers {
  /// For those who have left: a month for € 1.99.
  static let winBack = Offer(id: "back", kind: .winBack, mode: .payUpFront, period: .oneMonth, prices: euros(199))
  /// The same, and less good.
  static let lesserWinBack = Offer(
    id: "back_later", kind: .winBack, mode: .payUpFront, period: .oneMonth, prices: euros(299))
  /// For those who redeem a code: a month for € 0.99. A local store takes its name for a code.
  static let code = Offer(id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth, prices: euros(99))
  /// For those to whom the app's server gives it: a month for € 1.49.
  static let promotional = Offer(
    id: "loyal", kind: .promotional, mode: .payUpFront, period: .oneMonth, prices: euros(149))

  private static func euros(_ cents: Int64) -> [CountryCode: Money] {
    [.netherlands: Money(minorUnits: cents, currency: .eur)]
  }
}
