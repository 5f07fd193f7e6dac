import OnsideCommerce

@testable import OnsideStore

/// The plans that are sold in a simulation, of one group. Their offers have prices by which they are known.
struct SimulatedPlans: Sendable {
  struct Plan: Sendable {
    let id: String
    let level: Int
    let period: Period
    var offers: [Offer] = []
  }

  /// The price of each plan, in cents.
  var prices: [String: Int64] = [
    "small": 499, "basic": 999, "other": 1099, "weekly": 349, "yearly": 5999, "pro": 1999,
  ]
  let graceDays: Int?

  /// A code of the offer `card`, and how many accounts may use it.
  static let code = "SPRING26"
  static let codeLimit = 2

  static let plans: [Plan] = [
    Plan(id: "small", level: 3, period: .oneMonth, offers: [offer("begin", .introductory, .payAsYouGo, 2, 199)]),
    Plan(
      id: "basic", level: 2, period: .oneMonth,
      offers: [
        offer("again", .winBack, .payAsYouGo, 2, 299), offer("card", .code, .payUpFront, 2, 777),
        offer("loyal", .promotional, .payAsYouGo, 2, 399),
      ]),
    Plan(id: "other", level: 2, period: .oneMonth, offers: [offer("ahead", .introductory, .payUpFront, 3, 1500)]),
    Plan(id: "weekly", level: 2, period: .oneWeek, offers: [trial("days", .oneDay, 3)]),
    Plan(id: "yearly", level: 2, period: .oneYear),
    Plan(
      id: "pro", level: 1, period: .oneMonth,
      offers: [
        trial("try", .oneMonth, 1), offer("half", .promotional, .payUpFront, 3, 2999),
      ]),
  ]

  private static func offer(
    _ id: String, _ kind: OfferKind, _ mode: PaymentMode, _ count: Int, _ cents: Int64
  ) -> Offer {
    Offer(
      id: id, kind: kind, mode: mode, period: .oneMonth, periodCount: count,
      prices: CountryCode(alpha2: "NL").map { [$0: Money(minorUnits: cents, currency: .eur)] } ?? [:])
  }

  private static func trial(_ id: String, _ period: Period, _ count: Int) -> Offer {
    Offer(id: id, kind: .introductory, mode: .freeTrial, period: period, periodCount: count)
  }

  static func plan(_ id: String) -> Plan? { plans.first { $0.id == id } }

  /// The offers for those who have subscribed before, with their plans.
  static let rewards: [(plan: String, offer: String?)] = plans.flatMap { plan in
    plan.offers.filter { $0.kind == .winBack || $0.kind == .promotional }.map {
      (plan: plan.id, offer: Optional($0.id))
    }
  }

  /// Whether an offer needs a signature of the app's server.
  static func isSigned(_ offer: String) -> Bool {
    plans.contains { $0.offers.contains { $0.id == offer && $0.kind == .promotional } }
  }

  var catalogue: Catalogue {
    get throws {
      let nl = try TestShop.country("NL")
      return try Catalogue(
        products: Self.plans.map { plan in
          Product(
            id: plan.id, kind: .autoRenewableSubscription, referenceName: plan.id,
            prices: [nl: Money(minorUnits: prices[plan.id] ?? 0, currency: .eur)],
            subscription: Subscription(
              groupID: "plans", groupName: "Plans", level: plan.level, period: plan.period, offers: plan.offers,
              graceDays: graceDays))
        })
    }
  }

  /// For how many seconds a period of a plan gives access after its end, while its renewal is unpaid.
  func grace(of plan: String) -> Double {
    let days = graceDays ?? 16
    return Double(Self.plan(plan)?.period == .oneWeek ? min(6, days) : days) * 86_400
  }
}
