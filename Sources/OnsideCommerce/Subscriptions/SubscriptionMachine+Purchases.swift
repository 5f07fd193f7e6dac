public import Foundation

extension SubscriptionMachine {
  /// When another plan would start.
  public enum PlanStart: Sendable, Hashable {
    /// As soon as it is bought.
    case atOnce
    /// With the next renewal.
    case atRenewal
    /// It is the present plan.
    case alreadyThere
  }

  /// Whether buying a plan changes the subscription: it is not over, and of another plan. Call it on
  /// ``asOf(_:)``: it passes no time.
  public func isChange(to plan: SubscriptionPlan) -> Bool { isSubscribed && period?.plan.productID != plan.productID }

  /// When a plan would start if the account took it now.
  public func start(of plan: SubscriptionPlan) -> PlanStart {
    guard let present = period?.plan else { return .atOnce }
    switch stage {
    case .never, .expired, .revoked, .paused, .grace, .retry: return .atOnce
    case .active, .due:
      if plan.productID == present.productID { return .alreadyThere }
      if plan.level < present.level { return .atOnce }
      return plan.level == present.level && plan.period == present.period ? .atOnce : .atRenewal
    }
  }

  /// A Boolean value that indicates whether a product is the active plan, and the charge of its next period is neither
  /// sent nor due. Call it on ``asOf(_:)``.
  public func isBeforeRenewalCharge(of productID: String, at now: Date) -> Bool {
    guard stage == .active, let period, period.plan.productID == productID else { return false }
    return !isBeingRenewed && now < period.end - terms.leadTime
  }

  /// A Boolean value that indicates whether the account can accept an offer for the next renewal of a plan: a
  /// promotional one or one of a code, in the present currency, while no other offer is accepted or has payments left.
  /// Call it on ``asOf(_:)``.
  public func canAcceptOffer(_ kind: OfferKind, of plan: SubscriptionPlan, at now: Date) -> Bool {
    guard kind == .promotional || kind == .code, isBeforeRenewalCharge(of: plan.productID, at: now) else {
      return false
    }
    return plan.price.currency == period?.plan.price.currency && offerPaymentsLeft == 0 && nextOffer == nil
  }

  mutating func purchase(
    _ plan: SubscriptionPlan, offer: AcceptedOffer?, at now: Date
  ) -> [SubscriptionEffect] {
    if let refusal = refusal(of: plan, offer: offer) { return [.refused(refusal)] }
    let effects = refundsOfUnused(at: now)
    var base = BillingAnchor(now)
    if stage == .grace { base = endGrace(paying: plan, offer: offer, at: now) }
    offerPaymentsLeft = offer?.payments ?? 0
    forgetWishes()
    return effects + begin(plan, offer: offer, price: offer?.price ?? plan.price, from: base)
  }

  /// Ends the grace period by a payment, and returns the start of the paid period: the due date, or now if a period
  /// from that date would be over already or due for its next charge. A payment of another plan, or from now on, uses
  /// the grace period up.
  mutating func endGrace(paying plan: SubscriptionPlan, offer: AcceptedOffer?, at now: Date) -> BillingAnchor {
    let paysDuePeriod = now < end(of: plan, offer: offer, from: anchor).end(at: terms.timeRate) - terms.leadTime
    if !paysDuePeriod || plan.productID != period?.plan.productID { hasUsedGrace = true }
    return paysDuePeriod ? anchor : BillingAnchor(now)
  }

  /// The anchor after one paid period of a plan, or of its offer.
  private func end(of plan: SubscriptionPlan, offer: AcceptedOffer?, from base: BillingAnchor) -> BillingAnchor {
    var end = base
    end.advance(by: offer?.period ?? plan.period, times: offer?.periodsPerPayment ?? 1, at: terms.timeRate)
    return end
  }

  /// What goes back of the running periods when another plan takes their place.
  private func refundsOfUnused(at now: Date) -> [SubscriptionEffect] {
    runningPeriods.compactMap { paid in
      let unused = paid.unusedValue(at: now)
      return unused.isZero ? nil : .refundUnused(unused, of: paid)
    }
  }

  private func refusal(of plan: SubscriptionPlan, offer: AcceptedOffer?) -> SubscriptionRefusal? {
    switch start(of: plan) {
    case .alreadyThere: .alreadySubscribed
    case .atRenewal: .startsAtRenewal
    case .atOnce: offer.map(takes) ?? true ? nil : .offerNotEligible
    }
  }

  /// Whether an offer is one for an account with this subscription. Who may have an offer of a code, its code says.
  private func takes(_ offer: AcceptedOffer) -> Bool {
    switch offer.kind {
    case .introductory: isEligibleForIntroductoryOffer
    case .winBack: isLapsed
    case .code: true
    default: !isEligibleForIntroductoryOffer
    }
  }

  /// A payment was made: its period begins where the anchor is.
  mutating func begin(
    _ plan: SubscriptionPlan, offer: AcceptedOffer?, price: Money, from base: BillingAnchor,
    after earlier: PaidPeriod? = nil
  ) -> [SubscriptionEffect] {
    let start = base.end(at: terms.timeRate)
    anchor = end(of: plan, offer: offer, from: base)
    let paid = PaidPeriod(
      number: (period?.number ?? 0) + 1, plan: plan, offer: offer, price: price, start: start,
      end: anchor.end(at: terms.timeRate))
    if offer != nil { offerPaymentsLeft -= 1 }
    if nextPlan == plan { (nextPlan, choiceSwitchedOn) = (nil, nil) }
    if offer == nil, priceChange?.price == price || period?.plan.productID != plan.productID { priceChange = nil }
    (earlierPeriod, period) = (earlier, paid)
    stage = .active
    openCharge = nil
    (attempts, nextAttempt, retryEnd, otherMethodWaits, lacksMethod) = (0, nil, nil, nil, nil)
    return [.began(paid)]
  }

  /// A new subscription starts without the wishes about the one before.
  mutating func forgetWishes() {
    autoRenews = true
    declinedPrice = false
    (nextPlan, nextOffer, priceChange, plannedPause, choiceSwitchedOn) = (nil, nil, nil, nil, nil)
  }
}
