import Foundation

extension SubscriptionMachine {
  mutating func choose(_ plan: SubscriptionPlan) -> [SubscriptionEffect] {
    guard isSubscribed else { return [.refused(.notSubscribed)] }
    if plan.productID == period?.plan.productID { return takeBackChoice() }
    if start(of: plan) == .atOnce, stage == .active || stage == .due { return [.refused(.startsAtOnce)] }
    nextPlan = plan
    if !autoRenews { choiceSwitchedOn = true }
    autoRenews = true
    declinedPrice = false
    return []
  }

  /// The present plan goes on. When the chosen one was refused, it is charged instead, at once: who takes the choice
  /// back then pays, also if the choice had switched the renewal on.
  private mutating func takeBackChoice() -> [SubscriptionEffect] {
    let isUnpaid = nextPlan != nil && (stage == .grace || stage == .retry)
    if choiceSwitchedOn == true, !isUnpaid { autoRenews = false }
    (nextPlan, choiceSwitchedOn) = (nil, nil)
    return isUnpaid && !awaitsConsent ? retryNow() : []
  }

  /// The charge that would be asked for if the present plan took the place of a chosen one whose payment was refused;
  /// nil without such a choice, while its charge is under way, and while a price of the present plan waits for consent.
  public var chargeIfKept: SubscriptionCharge? {
    guard let present = period?.plan, openCharge == nil else { return nil }
    var kept = self
    guard case .charge(let charge)? = kept.choose(present).last else { return nil }
    return charge
  }

  mutating func switchAutoRenew(on: Bool) -> [SubscriptionEffect] {
    guard isSubscribed else { return on ? [.refused(.notSubscribed)] : [] }
    autoRenews = on
    choiceSwitchedOn = nil
    if on {
      declinedPrice = false
      return []
    }
    (plannedPause, nextPlan) = (nil, nil)
    switch stage {
    // What is charged already may still be paid.
    case .active, .due: return []
    default: return expire()
    }
  }

  mutating func changePrice(to price: Money, needsConsent: Bool) -> [SubscriptionEffect] {
    guard isSubscribed else { return [] }
    priceChange = PriceChange(price: price, awaitsConsent: needsConsent)
    return needsConsent ? [.askConsent(price)] : []
  }

  mutating func answerPrice(accepted: Bool) -> [SubscriptionEffect] {
    guard isSubscribed, priceChange?.awaitsConsent == true else { return [] }
    // Renewals have this price or there are none: to switch them on again accepts it.
    priceChange?.awaitsConsent = false
    guard !accepted else { return [] }
    declinedPrice = true
    return switchAutoRenew(on: false)
  }

  mutating func pause(until: Date?) -> [SubscriptionEffect] {
    switch stage {
    case .active:
      guard autoRenews else { return [.refused(.notRenewing)] }
      guard openCharge == nil, attempts == 0 else { return [.refused(.paymentDue)] }
      plannedPause = PlannedPause(until: until)
      return []
    case .due, .grace, .retry: return [.refused(.paymentDue)]
    case .paused:
      stage = .paused(until: until)
      return []
    case .never, .expired, .revoked: return [.refused(.notSubscribed)]
    }
  }

  mutating func resume(at now: Date) -> [SubscriptionEffect] {
    guard isSubscribed else { return [.refused(.notSubscribed)] }
    plannedPause = nil
    guard case .paused = stage else { return [] }
    guard !awaitsConsent else { return expire(.priceNotAccepted) }
    retryEnd = now + terms.retryLength
    stage = .retry
    return askForPayment()
  }

  /// True when the next payment would be at a price that the account has not accepted.
  public var awaitsConsent: Bool { priceChange?.awaitsConsent == true && !continuesOffer && nextPlan == nil }
}
