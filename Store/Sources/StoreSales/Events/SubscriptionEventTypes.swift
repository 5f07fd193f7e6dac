import Foundation
import OnsideAPI
import OnsideCommerce

/// The events of a subscription's transaction: the differences between its machine before and after it.
struct SubscriptionEventTypes {
  /// A cause of an event. An expiry also has an `ExpirationReason` as its cause, a revocation a `RevocationReason`.
  enum Cause: String {
    /// The first period of the account in the group, at the regular price; in a free trial; with another offer.
    case purchase = "PURCHASE"
    case trial = "TRIAL"
    case offer = "OFFER"
    /// A granted period of price 0.
    case grant = "GRANT"
    /// A purchase after an expiry or revocation.
    case resubscription = "RESUBSCRIPTION"
    /// The first payment at the regular price after a free trial; after another offer.
    case trialEnded = "TRIAL_ENDED"
    case offerEnded = "OFFER_ENDED"
    /// A plan of a higher level, of a lower one, of the same one.
    case upgrade = "UPGRADE"
    case downgrade = "DOWNGRADE"
    case crossgrade = "CROSSGRADE"
    /// A choice, a planned pause or a question was withdrawn.
    case withdrawn = "WITHDRAWN"
    /// The answer to a price.
    case accepted = "ACCEPTED"
    case declined = "DECLINED"
    /// The renewal was charged at the present price before an answer.
    case unanswered = "UNANSWERED"
    /// The next period, paid before its start, was refunded.
    case refund = "REFUND"
    /// The grace period has ended unpaid.
    case graceEnded = "GRACE_ENDED"
    /// The provider has not answered to the first charge.
    case noAnswer = "NO_ANSWER"
    /// The operator has ended the paid period.
    case stopped = "STOPPED"
  }

  private let before: SubscriptionMachine
  private let after: SubscriptionMachine
  private let isReinstated: Bool

  /// Returns the events of a transaction, in their order; none for an unchanged machine.
  ///
  /// - Parameters:
  ///   - before: the machine of the stored row before the transaction; nil without one. Its time is that of the write
  ///     of the row, so that an expiry is an event of the transaction that writes it.
  ///   - isReinstated: whether the order of the last period replaces a revoked one.
  static func notes(
    from before: SubscriptionMachine?, to after: SubscriptionMachine, isReinstated: Bool = false, at now: Date
  ) -> [EventNote] {
    let before = before ?? SubscriptionMachine(terms: after.terms)
    guard before != after else { return [] }
    let types = SubscriptionEventTypes(before: before, after: after, isReinstated: isReinstated)
    // The payment of a new purchase also writes the expiry before it, if the time of the expiry has just passed.
    let passed = before.asOf(now)
    guard types.beginsPeriod, before.isSubscribed, case .expired(let reason) = passed.stage else { return types.notes }
    let expiry = EventNote(type: .subscriptionExpired, cause: reason.rawValue)
    return [expiry] + SubscriptionEventTypes(before: passed, after: after, isReinstated: isReinstated).notes
  }

  private var notes: [EventNote] {
    [periodNotes, planNotes, pauseNotes, priceNotes, renewalNotes, stageNotes].flatMap(\.self)
  }

  /// A Boolean value that indicates whether a period was paid or granted.
  private var beginsPeriod: Bool { (before.period?.number ?? 0) < (after.period?.number ?? 0) }

  /// A Boolean value that indicates whether the subscription was active before and is active after the transaction.
  private var continues: Bool { before.isSubscribed && after.isSubscribed }

  // MARK: Periods

  private var periodNotes: [EventNote] {
    guard let period = after.period else { return [] }
    guard beginsPeriod else {
      let isLater = before.period.map { $0.end < period.end } ?? false
      return continues && isLater ? [note(.subscriptionExtended)] : []
    }
    return before.isSubscribed ? nextPeriodNotes(period) : [startNote(period)]
  }

  private func startNote(_ period: PaidPeriod) -> EventNote {
    if isReinstated { return note(.subscriptionReinstated) }
    let isGrant = period.offer == nil && period.price.isZero && !period.plan.price.isZero
    let cause: Cause =
      if isGrant {
        .grant
      } else if before.stage != .never {
        .resubscription
      } else if let offer = period.offer {
        offer.mode == .freeTrial ? .trial : .offer
      } else {
        .purchase
      }
    return note(.subscriptionStarted, cause)
  }

  private func nextPeriodNotes(_ period: PaidPeriod) -> [EventNote] {
    let change = before.period.flatMap { Self.change(from: $0.plan, to: period.plan) }
    let changed = change.map { [note(.subscriptionPlanChanged, $0)] } ?? []
    let cause = offerEnd(before: period)
    switch before.stage {
    case .active, .due:
      // A plan that starts at once begins with its payment, the next period with the end of the present one.
      let isRenewal = change == nil || period.start == before.period?.end
      return (isRenewal ? [note(.subscriptionRenewed, cause)] : []) + changed
    case .grace: return [note(.subscriptionRecovered, cause)] + changed
    case .retry:
      // After a pause, the first charge is under way in this state.
      let isFirstCharge = before.openCharge?.attempt == 1
      return [note(isFirstCharge ? .subscriptionRenewed : .subscriptionRecovered, cause)] + changed
    case .paused:
      return [note(.subscriptionResumed)] + (change == nil ? [note(.subscriptionRenewed, cause)] : changed)
    case .never, .expired, .revoked: return []
    }
  }

  /// Returns the offer that ends with a period at the regular price.
  private func offerEnd(before period: PaidPeriod) -> Cause? {
    guard let offer = before.period?.offer, period.offer == nil else { return nil }
    return offer.mode == .freeTrial ? .trialEnded : .offerEnded
  }

  private static func change(from present: SubscriptionPlan, to plan: SubscriptionPlan) -> Cause? {
    guard present.productID != plan.productID else { return nil }
    if plan.level == present.level { return .crossgrade }
    return plan.level < present.level ? .upgrade : .downgrade
  }

  // MARK: The next renewal

  private var planNotes: [EventNote] {
    guard continues else { return [] }
    if let plan = after.nextPlan, plan != before.nextPlan {
      return [note(.subscriptionPlanChangePlanned, after.period.flatMap { Self.change(from: $0.plan, to: plan) })]
    }
    if let offer = after.nextOffer, offer != before.nextOffer { return [note(.subscriptionPlanChangePlanned, .offer)] }
    let isWithdrawn = before.nextPlan != nil && after.nextPlan == nil && !beginsPeriod
    return isWithdrawn ? [note(.subscriptionPlanChangePlanned, .withdrawn)] : []
  }

  private var pauseNotes: [EventNote] {
    guard continues, before.plannedPauseEnd != after.plannedPauseEnd else { return [] }
    if after.plannedPauseEnd != nil { return [note(.subscriptionPausePlanned)] }
    return after.stage == .active && !beginsPeriod ? [note(.subscriptionPausePlanned, .withdrawn)] : []
  }

  private var priceNotes: [EventNote] {
    guard after.isAskedAboutPrice else {
      return answer.map { [note(.subscriptionPriceConsentAnswered, $0)] } ?? []
    }
    let isSameQuestion = before.isAskedAboutPrice && before.pendingPrice == after.pendingPrice
    return isSameQuestion ? [] : [note(.subscriptionPriceConsentAsked)]
  }

  /// The answer to a question about a price, or its other end; nil without one.
  private var answer: Cause? {
    guard continues, before.isAskedAboutPrice, !after.isAskedAboutPrice, !beginsPeriod, after.nextPlan == nil else {
      return nil
    }
    if after.pendingPrice == before.pendingPrice { return after.autoRenews ? .accepted : .declined }
    guard after.pendingPrice == nil, after.nextOffer == nil else { return .withdrawn }
    return !before.isBeingRenewed && after.isBeingRenewed ? .unanswered : .declined
  }

  private var renewalNotes: [EventNote] {
    guard continues else { return [] }
    if isNextPeriodDropped { return [note(.subscriptionRenewalSwitchedOff, .refund)] }
    guard before.autoRenews != after.autoRenews else { return [] }
    if after.autoRenews { return [note(.subscriptionRenewalSwitchedOn)] }
    let cause = answer == .declined ? ExpirationReason.priceNotAccepted.rawValue : nil
    return [EventNote(type: .subscriptionRenewalSwitchedOff, cause: cause)]
  }

  /// A Boolean value that indicates whether the next period, paid already, was refunded: the present one is the last.
  private var isNextPeriodDropped: Bool {
    guard !beginsPeriod, let earlier = before.period, let present = after.period else { return false }
    return present.start < earlier.start
  }

  // MARK: Stages

  private var stageNotes: [EventNote] {
    guard beginsPeriod || before.isSubscribed else { return [] }
    let stage: SubscriptionMachine.Stage = beginsPeriod ? .active : before.stage
    switch after.stage {
    case .never, .active, .due: return []
    case .grace: return stage == .grace ? [] : [note(.subscriptionGraceBegan)]
    case .retry: return retryNotes(from: stage)
    case .paused: return stage == after.stage ? [] : [note(.subscriptionPaused)]
    case .expired(let reason):
      let cause = isStopped ? Cause.stopped.rawValue : reason.rawValue
      return [EventNote(type: .subscriptionExpired, cause: cause)]
    case .revoked(let revocation):
      return [EventNote(type: .subscriptionRevoked, cause: revocation.reason.rawValue)]
    }
  }

  private func retryNotes(from stage: SubscriptionMachine.Stage) -> [EventNote] {
    switch stage {
    case .paused:
      // The charge is not made without a payment method.
      let isDeclined = after.openCharge == nil
      return [note(.subscriptionResumed)] + (isDeclined ? [note(.subscriptionRetryBegan)] : [])
    case .retry:
      let isFirstDecline = before.openCharge?.attempt == 1 && after.openCharge?.attempt != 1
      return isFirstDecline ? [note(.subscriptionRetryBegan)] : []
    case .grace: return [note(.subscriptionRetryBegan, .graceEnded)]
    case .never, .active, .due, .expired, .revoked:
      let isOpen = after.openCharge.map { $0.attempt == 1 || $0 == before.openCharge } ?? false
      return [note(.subscriptionRetryBegan, isOpen ? .noAnswer : nil)]
    }
  }

  /// A Boolean value that indicates whether the paid period was ended before its time.
  private var isStopped: Bool {
    guard !beginsPeriod, let earlier = before.period, let present = after.period else { return false }
    return present.end < earlier.end
  }

  private func note(_ type: MerchantEventType, _ cause: Cause? = nil) -> EventNote {
    EventNote(type: type, cause: cause?.rawValue)
  }
}
