public import Foundation

/// The subscription of one account in one group, from the first purchase on, and the only way in which it changes.
///
/// The store's rules and nothing else: `now` is an argument, and payments are asked for by effects and answered by
/// events. A subscription is
/// - *never*: the account never subscribed in the group;
/// - *active*: paid; *ending* when it will not be renewed;
/// - *due*: the period is over and the charge for the next one not answered;
/// - *grace*: the charge failed, the account keeps what it has, and the charge is tried again;
/// - *retry*: the charge failed or was never answered, the account has lost what it had, the charge is tried again;
/// - *paused*, *expired* or *revoked*.
///
/// What `handle` leads to. "–" changes nothing, "set" changes only what happens later. A word in italics is a
/// `SubscriptionRefusal`: *none* `notSubscribed`, *has it* `alreadySubscribed`, *offer* `offerNotEligible`, *later*
/// `startsAtRenewal`, *buy* `startsAtOnce`, *due* `paymentDue`, *off* `notRenewing`. *clock* is at `wakesAt`,
/// *refunded* is about the last paid period, and a charge that fails in *due* fails within the grace period.
///
/// | event | never | active | ending | due | grace | retry | paused | expired | revoked |
/// |---|---|---|---|---|---|---|---|---|---|
/// | purchased | active | *has it* | *has it* | *has it* | active, date stays | active | active | active | active |
/// | purchased with intro offer | active | *offer* | *offer* | *offer* | *offer* | *offer* | *offer* | *offer* | *offer* |
/// | purchased with code offer | active | *has it* | *has it* | *has it* | active, date stays | active | active | active | active |
/// | purchased, higher | active | active, refund | active, refund | active | active, date stays | active | active | active | active |
/// | purchased, lower | active | *later* | *later* | *later* | active, date stays | active | active | active | active |
/// | granted | ending | *has it* | *has it* | *has it* | *has it* | *has it* | *has it* | ending | ending |
/// | extended | *none* | set | set | *due* | *due* | *due* | *due* | *none* | *none* |
/// | chosen, higher | *none* | *buy* | *buy* | *buy* | *buy* | *buy* | *buy* | *none* | *none* |
/// | chosen, lower | *none* | set | active | set | *buy* | *buy* | *buy* | *none* | *none* |
/// | offer accepted | *none* | set | active | *offer* | *offer* | *offer* | *offer* | *none* | *none* |
/// | charge succeeded | – | – | – | active, date stays | active, date stays | active | – | refund | refund |
/// | charge failed | – | – | – | grace | – | – | – | – | – |
/// | charge without method | – | – | – | retry | – | – | – | – | – |
/// | method changed | – | – | – | set | charge | charge | – | – | – |
/// | renewal off | – | ending | – | set | expired | expired | expired | – | – |
/// | renewal on | *none* | – | active | – | – | – | – | *none* | *none* |
/// | price changed | – | set | set | set | set | set | set | – | – |
/// | price accepted | – | set | set | set | set | set | set | – | – |
/// | price declined | – | ending | set | set | expired | expired | expired | – | – |
/// | pause requested | *none* | set | *off* | *due* | *due* | *due* | set | *none* | *none* |
/// | resumed | *none* | – | – | – | – | – | retry, charge | *none* | *none* |
/// | refunded | – | revoked | revoked | revoked | revoked | revoked | revoked | – | – |
/// | stopped | – | expired | expired | expired | expired | expired | expired | – | – |
/// | clock | – | due, charge | expired | retry | charge | charge | retry, charge | – | – |
///
/// A new purchase counts its periods from its own moment, as does a payment that ends *retry*. All other payments
/// continue the period before, also when they are late, and so does a purchase in *grace*: it pays the period that is
/// due. A payment in *grace* whose period would be over by now, or charged again at once, begins one now. No grace
/// period begins without a payment method. After one that ended unpaid or was paid with another plan, and after a
/// subscription that was taken back, none begins until a renewal is paid in time. A higher plan, or one of the same
/// level and length, starts at once, and the unused part of what was paid goes back, also of a next period that is paid
/// already; every other plan starts with the next renewal. In *grace*, *retry* and *paused* every plan starts when it
/// is bought. A promotional offer, or one of a code, for the present plan is accepted for the next renewal, and nothing
/// is charged before it (``canAcceptOffer(_:of:at:)``). A next period that is paid before it begins is gone when it is
/// *refunded*, and what runs stays to its end; when what runs is refunded, both are taken back, and the price of the
/// next period goes back.
///
/// With a lead time (``SubscriptionTerms/leadTime``) the next period is charged while the subscription is still
/// *active*: money that comes then begins the next period, which follows the present one without a gap, and a refusal
/// shows when the period is over.
public struct SubscriptionMachine: Sendable, Hashable, Codable {
  /// Where a subscription stands.
  public enum Stage: Sendable, Hashable, Codable {
    /// The account never subscribed in this group.
    case never
    /// Paid.
    case active
    /// The period is over and the charge for the next one not answered.
    case due
    /// The charge failed; the account keeps what it has.
    case grace
    /// The charge failed; the account has lost what it had.
    case retry
    /// Interrupted by the account, until a moment or until it resumes.
    case paused(until: Date?)
    /// Over.
    case expired(ExpirationReason)
    /// Taken back.
    case revoked(Revocation)
  }

  /// A price that applies from a later renewal on.
  struct PriceChange: Sendable, Hashable, Codable {
    var price: Money
    var awaitsConsent: Bool
    /// True when the present price stays without consent. Nil in what was written before.
    var keepsPrice: Bool?
  }

  /// An accepted offer that begins with the next renewal.
  public struct RenewalOffer: Sendable, Hashable, Codable {
    /// Terms and price of the offer.
    public let offer: AcceptedOffer
    /// The present plan, at the regular price after the offer.
    public let plan: SubscriptionPlan
  }

  /// A pause that begins at the end of the period.
  struct PlannedPause: Sendable, Hashable, Codable {
    var until: Date?
  }

  /// The rules of billing.
  public let terms: SubscriptionTerms
  /// Where the subscription stands.
  public internal(set) var stage: Stage = .never
  /// The last period that was paid for; nil before the first.
  public internal(set) var period: PaidPeriod?
  /// The period before it, when it was still running while the last one was paid: what is charged early begins later.
  /// It may be over by now.
  public internal(set) var earlierPeriod: PaidPeriod?
  /// True when the account wants to be renewed.
  public internal(set) var autoRenews = false
  /// The plan that starts with the next renewal, when it is another one.
  public internal(set) var nextPlan: SubscriptionPlan?
  // Nil in what was written before.
  /// The accepted offer of the next renewal; nil if none. It stays while the renewal is off; a chosen plan withdraws
  /// it.
  public internal(set) var nextOffer: RenewalOffer?
  /// The charge that was asked for and not answered.
  public internal(set) var openCharge: SubscriptionCharge?

  var anchor = BillingAnchor(.distantPast)
  var offerPaymentsLeft = 0
  var priceChange: PriceChange?
  var plannedPause: PlannedPause?
  var declinedPrice = false
  /// True when the choice of a plan has switched the renewal on: taken back, it is off again. Nil in what was written
  /// before.
  var choiceSwitchedOn: Bool?
  /// The charges that were asked for and have brought no money, oldest first: each may do so once, however late.
  var unpaidCharges: [SubscriptionCharge] = []
  var attempts = 0
  var nextAttempt: Date?
  /// True when another method came while a charge was not answered: should it be refused, that one is tried at once.
  /// Nil in what was written before.
  var otherMethodWaits: Bool?
  /// True when the last charge was not made because the subscription has no method. Nil in what was written before.
  var lacksMethod: Bool?
  /// True after a grace period that ended unpaid or was paid with another plan, and after a revocation, until a renewal
  /// is paid in time. Nil in what was written before.
  var hasUsedGrace: Bool?
  /// When an unpaid period is given up; nil while nothing is unpaid.
  public internal(set) var retryEnd: Date?

  /// An account that never subscribed.
  public init(terms: SubscriptionTerms = SubscriptionTerms()) { self.terms = terms }

  /// True for an account that may have an introductory offer: it never subscribed in the group.
  public var isEligibleForIntroductoryOffer: Bool { stage == .never }

  /// True for an account whose subscription is over and was not taken back: win-back offers are for these.
  public var isLapsed: Bool {
    if case .expired = stage { true } else { false }
  }

  /// The moment from which the account no longer has what it subscribed to, as things stand; nil when it has nothing.
  public var entitledUntil: Date? {
    guard let period else { return nil }
    return switch stage {
    case .active: period.end
    case .due, .grace: period.end + terms.grace(after: period)
    case .never, .retry, .paused, .expired, .revoked: nil
    }
  }

  /// Until when access goes on behind the paid period, because its renewal was asked for or refused and is still
  /// wanted; nil otherwise. Known as soon as the renewal is asked for, so that a device that goes offline then keeps
  /// its access.
  public var graceUntil: Date? {
    guard let period, let graceEnd, graceEnd > period.end else { return nil }
    return switch stage {
    case .due, .grace: graceEnd
    case .active where openCharge == nil && !mayHaveGrace: nil
    case .active: autoRenews && attempts > 0 && plannedPause == nil && !awaitsConsent ? graceEnd : nil
    case .never, .retry, .paused, .expired, .revoked: nil
    }
  }

  /// True when the account has what it subscribed to. Tell the clock first.
  public func isEntitled(at now: Date) -> Bool { entitledUntil.map { now < $0 } ?? false }

  /// The paid periods that another plan would take the place of: in the hour in which the next one is paid already,
  /// two.
  public var runningPeriods: [PaidPeriod] { stage == .active ? [earlierPeriod, period].compactMap(\.self) : [] }

  /// When `clock` has something to do next; nil when only other events can change something.
  public var wakesAt: Date? {
    switch stage {
    case .active: earlyCharge ?? period?.end
    case .due: continuationEnd
    case .grace: [graceEnd, plannedAttempt].compactMap(\.self).min()
    case .retry: [retryEnd, plannedAttempt].compactMap(\.self).min()
    case .paused(let until): until
    case .never, .expired, .revoked: nil
    }
  }

  /// Takes an event in and tells what has to be done, in this order.
  public mutating func handle(_ event: SubscriptionEvent, at now: Date) -> [SubscriptionEffect] {
    switch event {
    case .purchased(let plan, let offer): purchase(plan, offer: offer, at: now)
    case .granted(let plan, let end): grant(plan, until: end, at: now)
    case .extended(let end): extend(to: end, at: now)
    case .planChosen(let plan): choose(plan)
    case .offerAccepted(let offer, let plan): accept(offer, of: plan, at: now)
    case .chargeSucceeded(let charge): succeed(charge, at: now)
    case .chargeFailed(let charge, let isFinal, let hasMethod):
      fail(charge, isFinal: isFinal, hasMethod: hasMethod, at: now)
    case .retryRequested: retryNow()
    case .autoRenewSwitched(let on): switchAutoRenew(on: on)
    case .priceChanged(let price, let needsConsent, let keepsPrice):
      changePrice(to: price, needsConsent: needsConsent, keepsPrice: keepsPrice)
    case .priceAnswered(let accepted): answerPrice(accepted: accepted)
    case .pauseRequested(let until): pause(until: until)
    case .resumed: resume(at: now)
    case .refunded(let number, let reason): revoke(period: number, reason, at: now)
    case .stopped: stop(at: now)
    case .clock: passTime(to: now)
    }
  }

  /// When the next charge is made, as things stand; nil when none is planned, or one is not answered.
  public var nextChargeAt: Date? {
    guard autoRenews, openCharge == nil else { return nil }
    return switch stage {
    case .active where attempts > 0: nextAttempt
    case .active: awaitsConsent ? nil : plannedPause.map(\.until) ?? earlyCharge ?? period?.end
    case .grace, .retry: nextAttempt
    case .paused(let until): awaitsConsent ? nil : until
    case .never, .due, .expired, .revoked: nil
    }
  }

  /// What the next renewal costs, as things stand; nil before the first purchase.
  public var nextPrice: Money? { nextCharge?.price }

  /// The price that renewals are to have from a later one on, perhaps after an answer; nil while none is planned.
  public var pendingPrice: Money? { priceChange?.price }

  /// Whether the next period is unpaid, or being paid.
  public var isBeingRenewed: Bool {
    switch stage {
    case .active: openCharge != nil || attempts > 0
    case .due, .grace, .retry: true
    case .never, .paused, .expired, .revoked: false
    }
  }

  /// Whether the next period was refused, and no charge for it is under way.
  public var isUnpaid: Bool { isBeingRenewed && openCharge == nil }

  /// Whether the paid period is over and the payment of the next one under way.
  public var isBeingPaidLate: Bool { stage != .active && openCharge != nil }

  /// When the next period begins, as things stand.
  public var nextPeriodStart: Date? {
    if case .paused(let until) = stage { return until }
    return plannedPauseEnd ?? period?.end
  }

  /// When the pause ends that begins with the end of the period; nil when none is planned, or when it has no end.
  public var plannedPauseEnd: Date? { plannedPause?.until }

  /// The last requested charge of a product's period that has brought no money, with an offer or without; nil if none.
  public func unpaidCharge(ofPeriod number: Int, for product: String, withOffer: Bool) -> SubscriptionCharge? {
    unpaidCharges.last { $0.number == number && $0.plan.productID == product && ($0.offer != nil) == withOffer }
  }

  /// When the next period is charged while this one runs; nil when it was, or will not be.
  private var earlyCharge: Date? {
    guard terms.leadTime > 0, attempts == 0, autoRenews, plannedPause == nil, !awaitsConsent, let period
    else { return nil }
    return max(period.start, period.end - terms.leadTime)
  }

  /// When a charge is tried again; nil while one is not answered.
  private var plannedAttempt: Date? { openCharge == nil ? nextAttempt : nil }

  /// Whether a failed charge begins a grace period: the charge had a payment method, and no used grace period waits for
  /// a renewal in time.
  var mayHaveGrace: Bool { lacksMethod != true && hasUsedGrace != true }
  var graceEnd: Date? { period.map { $0.end + terms.grace(after: $0) } }
  var continuationEnd: Date? { period.map { $0.end + terms.continuation(after: $0) } }
  /// True while there is something that can be renewed.
  public var isSubscribed: Bool {
    switch stage {
    case .active, .due, .grace, .retry, .paused: true
    case .never, .expired, .revoked: false
    }
  }
}
