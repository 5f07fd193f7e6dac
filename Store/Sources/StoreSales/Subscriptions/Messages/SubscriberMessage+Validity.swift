import Foundation
import OnsideCommerce
import StoreBase

extension SubscriberMessage {
  /// Whether what it tells is still so, or has come as it tells: a store that slept, or whose clock was moved, sends
  /// both.
  func isTrue(of machine: SubscriptionMachine) -> Bool {
    guard machine.isSubscribed, machine.autoRenews else { return false }
    switch notice.kind {
    case .unpaid:
      return machine.isUnpaid && isAt(machine.period?.end)
    case .offerEnds, .renewal:
      let isAhead = isAt(machine.nextPeriodStart) && machine.nextPrice == price && !machine.awaitsConsent
      return isAhead && isOf(machine.nextPlan ?? machine.period?.plan) || isCharged(by: machine) || hasCome(in: machine)
    case .price:
      return machine.pendingPrice == price && !machine.isAskedAboutPrice || hasCome(in: machine)
    case .question, .reminder:
      return machine.pendingPrice == price && machine.isAskedAboutPrice
    }
  }

  /// Whether it is about a moment, to the millisecond that the database keeps.
  private func isAt(_ moment: Date?) -> Bool {
    moment?.millisecondsSince1970 == notice.date.millisecondsSince1970
  }

  private func isOf(_ plan: SubscriptionPlan?) -> Bool { plan?.productID == product }

  /// Whether what it tells is being charged now.
  private func isCharged(by machine: SubscriptionMachine) -> Bool {
    machine.openCharge.map { isOf($0.plan) && $0.price == price } ?? false
  }

  /// Whether the period that it is about was paid as it tells.
  private func hasCome(in machine: SubscriptionMachine) -> Bool {
    guard let period = machine.period, isOf(period.plan) else { return false }
    return period.price == price && period.start.millisecondsSince1970 >= notice.date.millisecondsSince1970
  }
}
