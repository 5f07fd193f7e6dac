import DeterministicRandom
import Foundation
import OnsideCommerce

/// What is sold in a walk, and when it begins, drawn from a seed.
struct WalkShop {
  let start: Date
  let plans: [SubscriptionPlan]
  let offers: [AcceptedOffer]
  private let currency: Currency

  init(_ random: inout SeededRandom) {
    start = Self.start(&random)
    currency = random.pick(["EUR", "JPY", "KWD"].compactMap { Currency(code: $0) })
    let (first, second) = (Self.period(&random), Self.period(&random))
    let sold = [
      ("basic", 2, first), ("other", 2, random.chance(50) ? first : second), ("pro", 1, second), ("small", 3, first),
    ]
    plans = sold.map { [currency] id, level, period in
      SubscriptionPlan(
        productID: id, level: level, period: period, price: Self.price(in: currency, &random),
        graceDays: random.pick([nil, 0, 3, 6, 16, 28]))
    }
    let kinds: [(OfferKind, PaymentMode)] = [
      (.introductory, .freeTrial), (.code, .payAsYouGo), (.promotional, .payUpFront), (.winBack, .payAsYouGo),
    ]
    offers = kinds.map { [currency] kind, mode in
      AcceptedOffer(
        kind: kind, mode: mode, period: Self.period(&random), periodCount: random.pick(1...3),
        price: mode == .freeTrial ? .zero(currency) : Self.price(in: currency, &random))
    }
  }

  /// Another price of what is sold.
  func price(_ random: inout SeededRandom) -> Money { Self.price(in: currency, &random) }

  /// From a smallest unit to amounts that overflow when they are multiplied with the seconds of a year.
  private static func price(in currency: Currency, _ random: inout SeededRandom) -> Money {
    let range = random.pick([1...20, 99...9999, 99...9999, 1_000_000_000_000...9_000_000_000_000])
    return Money(minorUnits: Int64(random.pick(range)), currency: currency)
  }

  private static func period(_ random: inout SeededRandom) -> Period {
    let (unit, most) = random.pick([(Period.Unit.day, 45), (.week, 8), (.month, 14), (.year, 3)])
    return Period(unit: unit, count: random.chance(50) ? 1 : random.pick(2...most)) ?? .oneMonth
  }

  /// A second from 1970 to 2100; often of a month's last day, or of 29 February.
  private static func start(_ random: inout SeededRandom) -> Date {
    var (year, month) = (random.pick(1970...2100), random.pick(1...12))
    if random.chance(30) { (year, month) = (random.pick(stride(from: 1972, through: 2096, by: 4).map { $0 }), 2) }
    let last = CivilAnchor.days(of: month, year)
    let day = month == 2 || random.chance(50) ? last : random.pick(1...last)
    let days = CivilAnchor.days(to: (year, month, day))
    return Date(timeIntervalSince1970: Double(days * 86_400 + random.pick(0...86_399)))
  }
}
