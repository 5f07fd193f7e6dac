import OnsideCommerce

extension SubscriberMessage {
  /// Whether what it tells is still so, or has come as it tells: a store that slept, or whose clock was moved, sends
  /// both.
  func isTrue(of machine: SubscriptionMachine) -> Bool {
    guard machine.isSubscribed, machine.autoRenews else { return false }
    switch notice.kind {
    case .unpaid:
      return machine.isBeingRenewed && machine.period?.end == notice.date
    case .offerEnds, .renewal:
      let isAhead = machine.nextPeriodStart == notice.date && machine.nextPrice == price && !machine.awaitsConsent
      return isAhead && isOf(machine.nextPlan ?? machine.period?.plan) || hasCome(in: machine)
    case .price:
      return machine.pendingPrice == price && !machine.awaitsConsent || hasCome(in: machine)
    case .question, .reminder:
      return machine.pendingPrice == price && machine.awaitsConsent
    }
  }

  private func isOf(_ plan: SubscriptionPlan?) -> Bool { plan?.productID == product }

  private func hasCome(in machine: SubscriptionMachine) -> Bool {
    machine.period?.price == price && isOf(machine.period?.plan)
  }
}
