import Foundation

extension SubscriptionMachine {
  mutating func choose(_ plan: SubscriptionPlan) -> [SubscriptionEffect] {
    guard isSubscribed else { return [.refused(.notSubscribed)] }
    switch start(of: plan) {
    case .atOnce: return [.refused(.startsAtOnce)]
    case .alreadyThere:
      if choiceSwitchedOn == true { autoRenews = false }
      (nextPlan, choiceSwitchedOn) = (nil, nil)
    case .atRenewal:
      (nextPlan, nextOffer) = (plan, nil)
      if !autoRenews { choiceSwitchedOn = true }
      autoRenews = true
      declinedPrice = false
    }
    return []
  }

  mutating func accept(_ offer: AcceptedOffer, of plan: SubscriptionPlan, at now: Date) -> [SubscriptionEffect] {
    guard isSubscribed else { return [.refused(.notSubscribed)] }
    guard canAcceptOffer(offer.kind, of: plan, at: now) else { return [.refused(.offerNotEligible)] }
    nextOffer = RenewalOffer(offer: offer, plan: plan)
    (nextPlan, choiceSwitchedOn, priceChange) = (nil, nil, nil)
    (autoRenews, declinedPrice) = (true, false)
    return []
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

  mutating func changePrice(to price: Money, needsConsent: Bool, keepsPrice: Bool) -> [SubscriptionEffect] {
    // The price after an accepted offer is that of its page.
    guard isSubscribed, nextOffer == nil else { return [] }
    priceChange = PriceChange(
      price: price, awaitsConsent: needsConsent, keepsPrice: needsConsent && keepsPrice ? true : nil)
    return needsConsent ? [.askConsent(price)] : []
  }

  mutating func answerPrice(accepted: Bool) -> [SubscriptionEffect] {
    guard isSubscribed, priceChange?.awaitsConsent == true else { return [] }
    if !accepted, keepsPriceWithoutConsent {
      priceChange = nil
      return []
    }
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

  /// True when the account is asked about the price of the next payment. A question that may be declined without an end
  /// is over when that payment is asked for.
  public var isAskedAboutPrice: Bool { priceChange?.awaitsConsent == true && !continuesOffer && nextPlan == nil }

  /// True when the next payment would be at a price that the account has not accepted.
  public var awaitsConsent: Bool { isAskedAboutPrice && !keepsPriceWithoutConsent }

  /// True when the present price stays unless the account accepts the one that it is asked about.
  public var keepsPriceWithoutConsent: Bool { priceChange?.awaitsConsent == true && priceChange?.keepsPrice == true }
}
