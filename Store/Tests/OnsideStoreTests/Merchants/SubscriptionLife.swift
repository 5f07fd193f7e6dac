import Foundation
import OnsideAPI
import OnsideCommerce

@testable import StoreSales

/// A machine of plans at € 9.99 and others, and its time, which begins on 10 January 2026.
struct SubscriptionLife {
  /// What happens. Times are of 2026 in UTC, such as `02-10T00:00`.
  enum Step: Sendable {
    case buy(SubscriptionPlan, AcceptedOffer? = nil)
    /// The time passes, and no write applies it.
    case sleep(String)
    /// The time passes, and is applied.
    case clock(String)
    /// The open charge is paid, declined, or not made without a method.
    case pay, decline, lackMethod
    case tell(SubscriptionEvent)
  }

  static let basic = plan("basic", price: 999)
  static let other = plan("other", price: 1099)
  static let yearly = plan("yearly", .oneYear, price: 5999)
  static let pro = plan("pro", level: 1, price: 1999)
  static let small = plan("small", level: 3, price: 499)
  static let trial = AcceptedOffer(kind: .introductory, mode: .freeTrial, period: .oneWeek, price: .zero(.eur))
  static let half = AcceptedOffer(kind: .introductory, mode: .payAsYouGo, period: .oneMonth, price: euros(499))
  static let code = AcceptedOffer(kind: .code, mode: .payUpFront, period: .oneMonth, periodCount: 3, price: euros(299))

  private(set) var machine = SubscriptionMachine(terms: .store)
  private(set) var now = Self.moment("01-10T00:00")

  static func euros(_ cents: Int64) -> Money { Money(minorUnits: cents, currency: .eur) }

  static func moment(_ text: String) -> Date { RFC3339.date("2026-\(text):00Z") ?? .distantPast }

  private static func plan(
    _ id: String, level: Int = 2, _ period: Period = .oneMonth, price: Int64
  ) -> SubscriptionPlan {
    SubscriptionPlan(productID: id, level: level, period: period, price: euros(price))
  }

  mutating func take(_ steps: [Step]) {
    for step in steps {
      switch step {
      case .buy(let plan, let offer): tell(.purchased(plan, offer: offer))
      case .sleep(let moment): now = Self.moment(moment)
      case .clock(let moment):
        now = Self.moment(moment)
        tell(.clock)
      case .pay: answer { .chargeSucceeded($0) }
      case .decline: answer { .chargeFailed($0) }
      case .lackMethod: answer { .chargeFailed($0, hasMethod: false) }
      case .tell(let event): tell(event)
      }
    }
  }

  private mutating func tell(_ event: SubscriptionEvent) { _ = machine.handle(event, at: now) }

  private mutating func answer(_ event: (SubscriptionCharge) -> SubscriptionEvent) {
    if let charge = machine.openCharge { tell(event(charge)) }
  }
}

extension [SubscriptionLife.Step] {
  /// The steps and further ones.
  func then(_ steps: SubscriptionLife.Step...) -> [SubscriptionLife.Step] { self + steps }
}

extension EventNote {
  /// The type without `subscription.`, and the cause.
  var text: String {
    [type.rawValue.replacing("subscription.", with: ""), cause].compactMap(\.self).joined(separator: " ")
  }
}
