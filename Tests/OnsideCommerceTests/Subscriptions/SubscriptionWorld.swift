import Foundation
import OnsideCommerce

/// Plans of one group, and a machine with its own clock.
struct SubscriptionWorld {
  static let start = RFC3339.date("2026-01-31T10:00:00Z") ?? .distantPast

  static func plan(_ id: String, level: Int = 2, period: Period = .oneMonth, price: Int64 = 499) -> SubscriptionPlan {
    SubscriptionPlan(productID: id, level: level, period: period, price: Money(minorUnits: price, currency: .eur))
  }

  static let basic = plan("basic")
  static let pro = plan("pro", level: 1, period: .oneMonth, price: 999)
  static let yearly = plan("yearly", level: 2, period: .oneYear, price: 4999)
  static let small = plan("small", level: 3, period: .oneMonth, price: 199)
  static let trial = AcceptedOffer(
    kind: .introductory, mode: .freeTrial, period: .oneMonth, price: .zero(.eur))

  static let code = AcceptedOffer(
    kind: .code, mode: .payAsYouGo, period: .oneMonth, periodCount: 2, price: Money(minorUnits: 99, currency: .eur))

  var machine: SubscriptionMachine
  var now = start
  var effects: [SubscriptionEffect] = []
  var charges: [SubscriptionCharge] = []

  init(_ terms: SubscriptionTerms = SubscriptionTerms()) { machine = SubscriptionMachine(terms: terms) }

  /// Tells the machine an event, and answers every charge when an answer is given.
  @discardableResult
  mutating func handle(_ event: SubscriptionEvent, paying: Bool? = nil) -> [SubscriptionEffect] {
    let new = machine.handle(event, at: now)
    effects += new
    for case .charge(let charge) in new {
      charges.append(charge)
      if let paying { handle(paying ? .chargeSucceeded(charge) : .chargeFailed(charge), paying: paying) }
    }
    return new
  }

  /// Lets the time pass to the next moment of the machine.
  mutating func wake(paying: Bool? = nil) {
    guard let moment = machine.wakesAt else { return }
    now = max(now, moment)
    handle(.clock, paying: paying)
  }

  /// Lets the time pass to a moment, with all wake-ups on the way.
  mutating func pass(to moment: Date, paying: Bool? = nil) {
    while let next = machine.wakesAt, next <= moment { wake(paying: paying) }
    now = max(now, moment)
  }

  var periods: [PaidPeriod] {
    effects.compactMap { effect in
      guard case .began(let period) = effect else { return nil }
      return period
    }
  }
}
