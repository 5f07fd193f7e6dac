public import Foundation

/// Something that happened to the subscription of an account in a group.
public enum SubscriptionEvent: Sendable, Hashable {
  /// An order for a plan was paid, at the offer's price when there is one.
  case purchased(SubscriptionPlan, offer: AcceptedOffer? = nil)
  /// The store grants a period of a plan until a moment, at price 0 and without renewal.
  case granted(SubscriptionPlan, until: Date)
  /// The store moves the end of the paid period to a later moment, without a payment. Later periods are counted from
  /// there.
  case extended(to: Date)
  /// The account wants another plan from the next renewal on; its present plan takes the wish back. A plan that starts
  /// at once is bought instead.
  case planChosen(SubscriptionPlan)
  /// The account accepts an offer for the next renewal of its present plan. The plan has the regular price after the
  /// offer. The renewal is switched on; a chosen plan and an announced price are withdrawn. Refused if
  /// ``SubscriptionMachine/canAcceptOffer(_:of:at:)`` is false.
  case offerAccepted(AcceptedOffer, of: SubscriptionPlan)
  /// The money of a charge is there.
  case chargeSucceeded(SubscriptionCharge)
  /// A charge was refused. It is tried again later, unless the method will not pay whatever happens: then it waits for
  /// another method. Without a method it was not made; it waits, too, and no grace period begins.
  case chargeFailed(SubscriptionCharge, isFinal: Bool = false, hasMethod: Bool = true)
  /// The charge that is open or was refused is to be tried now: the account has another method, the dispute that held
  /// it up is over, or its price has changed.
  case retryRequested
  /// The account no longer wants renewals, or wants them again.
  case autoRenewSwitched(on: Bool)
  /// Renewals cost something else from the next one on. Without the consent that a price needs the subscription ends
  /// with its period, or keeps its price.
  case priceChanged(to: Money, needsConsent: Bool, keepsPrice: Bool = false)
  /// The account answered to a price that needs its consent.
  case priceAnswered(accepted: Bool)
  /// The account wants a pause from the end of the period on, until a moment or until it resumes.
  case pauseRequested(until: Date?)
  /// The account wants to go on.
  case resumed
  /// The money of a paid period went back.
  case refunded(period: Int, RevocationReason)
  /// The operator ends the subscription now, also within a paid period.
  case stopped
  /// Time went by: to be told at `wakesAt`, or later.
  case clock
}

/// What has to be done after an event.
public enum SubscriptionEffect: Sendable, Hashable {
  /// Charge the account's payment method, once for each charge however often it is asked, and tell how it went.
  case charge(SubscriptionCharge)
  /// A paid period began: write its transaction.
  case began(PaidPeriod)
  /// Give back what was not used of a period, because another plan takes its place, or because the period before it was
  /// taken back.
  case refundUnused(Money, of: PaidPeriod)
  /// The next period, paid already, was refunded. `running` is the present period; it takes over the number of the one
  /// that was taken back, so that no later period has the same.
  case periodDropped(running: PaidPeriod)
  /// Give back all of a charge that came for nothing: too late, or twice.
  case refundCharge(SubscriptionCharge)
  /// Ask the account whether it accepts a price.
  case askConsent(Money)
  /// A payment failed; the account keeps what it has until a moment.
  case graceBegan(until: Date)
  /// A payment failed; the account has lost what it had, and the charge is tried again until a moment.
  case retryBegan(until: Date)
  /// A pause began, until a moment or until the account resumes.
  case paused(until: Date?)
  /// The subscription is over.
  case expired(ExpirationReason)
  /// The subscription was taken back.
  case revoked(Revocation)
  /// The event cannot happen now, and nothing has changed; a payment for it must be given back.
  case refused(SubscriptionRefusal)
}

/// A payment that a subscription asks for.
public struct SubscriptionCharge: Sendable, Hashable, Codable {
  /// The number of the period to be paid. No two payments of one number are ever kept.
  public var number: Int
  /// Counts the tries for one period from 1; the next one starts after the one before has failed.
  public var attempt: Int
  /// What is charged for.
  public var plan: SubscriptionPlan
  /// The offer that the price is of, if it is.
  public var offer: AcceptedOffer?
  /// What is charged.
  public var price: Money

  /// A payment for a period.
  public init(number: Int, attempt: Int, plan: SubscriptionPlan, offer: AcceptedOffer? = nil, price: Money) {
    self.number = number
    self.attempt = attempt
    self.plan = plan
    self.offer = offer
    self.price = price
  }
}

/// Why a subscription is over.
public enum ExpirationReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// The account switched the renewal off.
  case cancelled = "CANCELLED"
  /// The payment failed for as long as it was tried.
  case billingError = "BILLING_ERROR"
  /// The account did not accept a higher price.
  case priceNotAccepted = "PRICE_NOT_ACCEPTED"
}

/// Why an event cannot happen to a subscription.
public enum SubscriptionRefusal: String, Error, Sendable, Hashable, Codable, CaseIterable {
  /// The account has this plan already, and the time behind it is not for sale: switch the renewal on instead.
  case alreadySubscribed
  /// There is no subscription: buy one.
  case notSubscribed
  /// The offer is not for this account: charge the regular price.
  case offerNotEligible
  /// The plan is not a higher one and starts with the next renewal: choose it instead of buying it.
  case startsAtRenewal
  /// The plan starts at once: it has to be bought.
  case startsAtOnce
  /// A payment is due: pay first.
  case paymentDue
  /// The renewal is switched off: switch it on first.
  case notRenewing
}

extension SubscriptionRefusal: LocalizedError {
  /// What was expected and what to do.
  public var errorDescription: String? {
    switch self {
    case .alreadySubscribed: "expected another plan, got the present one; switch its renewal on instead"
    case .notSubscribed: "expected a subscription, found none; buy one first"
    case .offerNotEligible: "expected an account that may have the offer; charge the regular price"
    case .startsAtRenewal: "expected a plan that starts at once; choose this one for the next renewal instead"
    case .startsAtOnce: "expected a plan that starts with the next renewal; buy this one instead"
    case .paymentDue: "expected a paid subscription, got one with a payment due; pay first"
    case .notRenewing: "expected a subscription that renews, got one with its renewal off; switch it on first"
    }
  }
}
