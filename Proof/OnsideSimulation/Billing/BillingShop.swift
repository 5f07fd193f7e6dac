import Foundation
import OnsideCommerce

/// A purchase that was paid on the payment page.
struct BillingOrder: Equatable {
  let payment: BillingPayment
  let plan: SubscriptionPlan
  let offer: AcceptedOffer?

  var price: Money { offer?.price ?? plan.price }
}

/// The plans that the simulated store sells, with the prices of the moment.
struct BillingShop {
  static let plans = ["weekly", "basic", "pro", "year"]
  static let offers: [OfferKind] = [.introductory, .winBack, .promotional, .code]

  private(set) var prices: [String: Int64] = ["weekly": 199, "basic": 499, "pro": 999, "year": 4999]
  private var orders = 0

  func plan(_ id: String) -> SubscriptionPlan {
    let (level, period, graceDays): (Int, Period, Int?) =
      switch id {
      case "weekly": (2, .oneWeek, nil)
      case "pro": (1, .oneMonth, 3)
      case "year": (2, .oneYear, nil)
      default: (2, .oneMonth, 0)
      }
    return SubscriptionPlan(
      productID: id, level: level, period: period, price: Self.euros(prices[id] ?? 0), graceDays: graceDays)
  }

  func offer(_ kind: OfferKind, of plan: SubscriptionPlan) -> AcceptedOffer {
    let half = Self.euros(plan.price.minorUnits / 2)
    return switch kind {
    case .introductory: AcceptedOffer(kind: kind, mode: .freeTrial, period: .oneWeek, price: Self.euros(0))
    case .winBack: AcceptedOffer(kind: kind, mode: .payAsYouGo, period: plan.period, periodCount: 2, price: half)
    default: AcceptedOffer(kind: kind, mode: .payUpFront, period: plan.period, price: half)
    }
  }

  mutating func order(_ plan: SubscriptionPlan, offer: AcceptedOffer?) -> BillingOrder {
    orders += 1
    return BillingOrder(payment: .order(orders), plan: plan, offer: offer)
  }

  mutating func setPrice(of id: String, to price: Int64) { prices[id] = price }

  static func euros(_ cents: Int64) -> Money { Money(minorUnits: cents, currency: .eur) }
}
