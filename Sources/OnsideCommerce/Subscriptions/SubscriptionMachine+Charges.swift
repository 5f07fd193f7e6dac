import Foundation

extension SubscriptionMachine {
  /// Asks for the payment of the next period; the one that is asked for already when it is not answered.
  mutating func askForPayment() -> [SubscriptionEffect] {
    guard openCharge == nil, let charge = nextCharge else { return openCharge.map { [.charge($0)] } ?? [] }
    ask(charge)
    return [.charge(charge)]
  }

  var nextCharge: SubscriptionCharge? {
    guard let period else { return nil }
    if let nextOffer {
      return SubscriptionCharge(
        number: period.number + 1, attempt: attempts + 1, plan: nextOffer.plan, offer: nextOffer.offer,
        price: nextOffer.offer.price)
    }
    let offer = continuesOffer ? period.offer : nil
    let plan = renewedPlan ?? period.plan
    return SubscriptionCharge(
      number: period.number + 1, attempt: attempts + 1, plan: plan, offer: offer, price: offer?.price ?? plan.price)
  }

  /// True when the next payment is again one of the offer.
  public var continuesOffer: Bool { offerPaymentsLeft > 0 && nextPlan == nil && period?.offer != nil }

  /// The plan of the next period, with the price that applies by then. A charge that was refused is tried again at its
  /// own price while the account has not agreed to another one.
  private var renewedPlan: SubscriptionPlan? {
    if let nextPlan { return nextPlan }
    guard !continuesOffer, !keepsPriceWithoutConsent, let priceChange, let period else { return period?.plan }
    var plan = period.plan
    if priceChange.awaitsConsent,
      let refused = unpaidCharge(ofPeriod: period.number + 1, for: plan.productID, withOffer: false)
    {
      return refused.plan
    }
    plan.price = priceChange.price
    return plan
  }

  /// How many charges without money are remembered: more than there are tries for one period.
  private static let memory = 64

  /// Charges at once, or after the charge that is open. The try that was planned stays.
  mutating func retryNow() -> [SubscriptionEffect] {
    guard openCharge == nil else {
      otherMethodWaits = true
      return []
    }
    let isUnpaid = stage == .grace || stage == .retry || stage == .active && autoRenews && attempts > 0
    guard isUnpaid else { return [] }
    let planned = nextAttempt
    let effects = askForPayment()
    nextAttempt = planned
    return effects
  }

  private mutating func ask(_ charge: SubscriptionCharge) {
    attempts += 1
    if keepsPriceWithoutConsent { priceChange = nil }
    (nextAttempt, otherMethodWaits, lacksMethod) = (nil, nil, nil)
    openCharge = charge
    unpaidCharges.append(charge)
    if unpaidCharges.count > Self.memory { unpaidCharges.removeFirst() }
  }

  mutating func succeed(_ charge: SubscriptionCharge, at now: Date) -> [SubscriptionEffect] {
    guard let index = unpaidCharges.firstIndex(of: charge) else { return [] }
    unpaidCharges.remove(at: index)
    guard charge.number == (period?.number ?? 0) + 1 else { return [.refundCharge(charge)] }
    switch stage {
    case .active:
      hasUsedGrace = nil
      return pay(charge, from: anchor, after: period)
    case .due:
      hasUsedGrace = nil
      return pay(charge, from: anchor)
    case .grace: return pay(charge, from: endGrace(paying: charge.plan, offer: charge.offer, at: now))
    case .retry: return pay(charge, from: BillingAnchor(now))
    case .never, .paused, .expired, .revoked: return [.refundCharge(charge)]
    }
  }

  private mutating func pay(
    _ charge: SubscriptionCharge, from base: BillingAnchor, after earlier: PaidPeriod? = nil
  ) -> [SubscriptionEffect] {
    // An offer is accepted only if no payment of another one is left: 0 means that this charge begins it.
    if charge.offer == nil || offerPaymentsLeft == 0 { offerPaymentsLeft = charge.offer?.payments ?? 0 }
    nextOffer = nil
    return begin(charge.plan, offer: charge.offer, price: charge.price, from: base, after: earlier)
  }

  mutating func fail(
    _ charge: SubscriptionCharge, isFinal: Bool, hasMethod: Bool, at now: Date
  ) -> [SubscriptionEffect] {
    guard charge == openCharge else { return [] }
    openCharge = nil
    lacksMethod = hasMethod ? nil : true
    let isFinal = isFinal || !hasMethod
    // The period that is paid runs on.
    guard autoRenews || stage == .active else { return expire() }
    if !autoRenews, !isFinal {
      // It may have ended because the renewal is off. Switched on again, the next try is at the end of the period.
      nextAttempt = period?.end
    } else if !isFinal {
      // A try that was planned before another method was asked stays in any case.
      nextAttempt = nextAttempt ?? now + terms.attemptDistance
    }
    let effects = stage == .due ? missPayment(at: now) : []
    return otherMethodWaits == true ? effects + retryNow() : effects
  }

  /// The period is over, and its next one was refused.
  mutating func missPayment(at now: Date) -> [SubscriptionEffect] {
    guard mayHaveGrace, let graceEnd, now < graceEnd else { return enterRetry() }
    stage = .grace
    return [.graceBegan(until: graceEnd)]
  }

  mutating func enterRetry() -> [SubscriptionEffect] {
    leaveGrace()
    stage = .retry
    return retryEnd.map { [.retryBegan(until: $0)] } ?? []
  }

  /// Ends the subscription, for the reason that is known.
  mutating func expire(_ reason: ExpirationReason? = nil) -> [SubscriptionEffect] {
    let reason = reason ?? (declinedPrice ? .priceNotAccepted : .cancelled)
    leaveGrace()
    stage = .expired(reason)
    end()
    return [.expired(reason)]
  }

  mutating func revoke(period number: Int, _ reason: RevocationReason, at now: Date) -> [SubscriptionEffect] {
    guard isSubscribed, let period else { return [] }
    let running = stage == .active ? earlierPeriod.flatMap { $0.end > now ? $0 : nil } : nil
    if number == period.number, var running {
      // The next period, paid already, is refunded; the running one is paid to its end, and is the last in its place.
      running.number = number
      (self.period, earlierPeriod, anchor) = (running, nil, BillingAnchor(running.end))
      (offerPaymentsLeft, attempts) = (0, 0)
      end()
      return [.periodDropped(running: running)]
    }
    if number == period.number { return revoke(reason, at: now) }
    guard number == running?.number else { return [] }
    let unused = period.unusedValue(at: now)
    return revoke(reason, at: now) + (unused.isZero ? [] : [.refundUnused(unused, of: period)])
  }

  private mutating func revoke(_ reason: RevocationReason, at now: Date) -> [SubscriptionEffect] {
    let revocation = Revocation(date: now, reason: reason)
    hasUsedGrace = true
    stage = .revoked(revocation)
    end()
    return [.revoked(revocation)]
  }

  /// Ends the subscription now: the paid period ends with it.
  mutating func stop(at now: Date) -> [SubscriptionEffect] {
    guard isSubscribed, var paid = period else { return [] }
    (paid.start, paid.end) = (min(paid.start, now), min(paid.end, now))
    (period, earlierPeriod, offerPaymentsLeft) = (paid, nil, 0)
    return expire(.cancelled)
  }

  /// Marks the grace period as used, if one is running.
  mutating func leaveGrace() {
    if stage == .grace { hasUsedGrace = true }
  }

  private mutating func end() {
    openCharge = nil
    autoRenews = false
    (nextPlan, nextOffer, priceChange, plannedPause) = (nil, nil, nil, nil)
    (nextAttempt, retryEnd, otherMethodWaits, lacksMethod) = (nil, nil, nil, nil)
  }
}
