public import Foundation

extension SubscriptionMachine {
  /// The subscription as it stands at a moment, for reads. The effects of the time that has passed are dropped: a write
  /// handles `clock`.
  public func asOf(_ now: Date) -> SubscriptionMachine {
    var machine = self
    _ = machine.passTime(to: now)
    return machine
  }

  /// Does everything that is due by now; a store that slept asks for the payment and takes nothing away for it.
  mutating func passTime(to now: Date) -> [SubscriptionEffect] {
    var effects: [SubscriptionEffect] = []
    while let moment = wakesAt, moment <= now {
      let before = self
      effects += wake(at: now)
      if self == before { break }
    }
    return effects
  }

  private mutating func wake(at now: Date) -> [SubscriptionEffect] {
    switch stage {
    case .active: period.map { now < $0.end } == true ? askForPayment() : endPeriod(at: now)
    case .due: autoRenews ? enterRetry() : expire()
    case .grace: graceEnd.map { $0 <= now } == true ? enterRetry() : askForPayment()
    case .retry: retryEnd.map { $0 <= now } == true ? expire(.billingError) : askForPayment()
    case .paused: resume(at: now)
    case .never, .expired, .revoked: []
    }
  }

  private mutating func endPeriod(at now: Date) -> [SubscriptionEffect] {
    // What is charged already may still be paid.
    let isCharged = openCharge != nil
    guard autoRenews || isCharged else { return expire() }
    if let plannedPause {
      self.plannedPause = nil
      stage = .paused(until: plannedPause.until)
      return [.paused(until: plannedPause.until)]
    }
    guard !awaitsConsent || isCharged else { return expire(.priceNotAccepted) }
    stage = .due
    retryEnd = now + terms.retryLength
    let wasRefused = attempts > 0 && openCharge == nil
    return wasRefused ? missPayment(at: now) : askForPayment()
  }
}
