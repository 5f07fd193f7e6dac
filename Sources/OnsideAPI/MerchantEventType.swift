/// The type of an event of a merchant's app. A struct, so that a new type breaks no backend.
public struct MerchantEventType: RawRepresentable, Hashable, Sendable, Codable {
  /// The type on the wire.
  public let rawValue: String

  /// Makes a type from its text on the wire; unknown texts are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// An order was paid, or granted by the operator. Orders that were paid before the store wrote events have none.
  public static let orderPaid = MerchantEventType(rawValue: "order.paid")
  /// A refund of a part or the whole of the price was requested, or made at the provider. Cause: the refund's origin.
  public static let orderRefunded = MerchantEventType(rawValue: "order.refunded")
  /// A refund of the price failed. Cause: the refund's origin.
  public static let orderRefundFailed = MerchantEventType(rawValue: "order.refund_failed")
  /// A purchase was revoked. Cause: the revocation's reason.
  public static let orderRevoked = MerchantEventType(rawValue: "order.revoked")
  /// An order of price 0 replaces a revoked purchase, which its `reinstates` names. It has no ``orderPaid``. Cause: the
  /// grant's cause.
  public static let orderReinstated = MerchantEventType(rawValue: "order.reinstated")
  /// The buyer's bank has opened a dispute about a payment. Cause: the reason of the dispute.
  public static let disputeOpened = MerchantEventType(rawValue: "dispute.opened")
  /// The bank has decided a dispute. Cause: `won` or `lost`.
  public static let disputeClosed = MerchantEventType(rawValue: "dispute.closed")

  /// The first period of a subscription began, also after an expiry or revocation. Cause: `PURCHASE`, `TRIAL`, `OFFER`,
  /// `GRANT` or `RESUBSCRIPTION`.
  public static let subscriptionStarted = MerchantEventType(rawValue: "subscription.started")
  /// The next period of a subscription was paid by its first charge, an hour before its start as a rule.
  public static let subscriptionRenewed = MerchantEventType(rawValue: "subscription.renewed")
  /// An unpaid renewal was paid, and a period began.
  public static let subscriptionRecovered = MerchantEventType(rawValue: "subscription.recovered")
  /// A payment failed; the entitlement remains during the grace period.
  public static let subscriptionGraceBegan = MerchantEventType(rawValue: "subscription.grace_began")
  /// A payment failed, and the entitlement has ended; the store repeats the payment.
  public static let subscriptionRetryBegan = MerchantEventType(rawValue: "subscription.retry_began")
  /// Another plan was chosen for the next period, or an offer accepted, or the choice was withdrawn. Cause: `UPGRADE`,
  /// `DOWNGRADE`, `CROSSGRADE`, `OFFER` or `WITHDRAWN`.
  public static let subscriptionPlanChangePlanned = MerchantEventType(rawValue: "subscription.plan_change_planned")
  /// The plan of a subscription changed. Cause: `UPGRADE`, `DOWNGRADE` or `CROSSGRADE`.
  public static let subscriptionPlanChanged = MerchantEventType(rawValue: "subscription.plan_changed")
  /// The renewal was switched off: the subscription expires at the end of its period.
  public static let subscriptionRenewalSwitchedOff = MerchantEventType(rawValue: "subscription.renewal_switched_off")
  /// The renewal was switched on again.
  public static let subscriptionRenewalSwitchedOn = MerchantEventType(rawValue: "subscription.renewal_switched_on")
  /// The account was asked for its consent to a higher price.
  public static let subscriptionPriceConsentAsked = MerchantEventType(rawValue: "subscription.price_consent_asked")
  /// The question about a higher price has ended. Cause: `ACCEPTED`, `DECLINED`, `UNANSWERED` or `WITHDRAWN`.
  public static let subscriptionPriceConsentAnswered = MerchantEventType(
    rawValue: "subscription.price_consent_answered")
  /// A pause was planned for the end of the period, or the plan was withdrawn.
  public static let subscriptionPausePlanned = MerchantEventType(rawValue: "subscription.pause_planned")
  /// A pause began.
  public static let subscriptionPaused = MerchantEventType(rawValue: "subscription.paused")
  /// A pause ended. The next period begins with its payment.
  public static let subscriptionResumed = MerchantEventType(rawValue: "subscription.resumed")
  /// A subscription expired. Cause: `CANCELLED`, `BILLING_ERROR`, `PRICE_NOT_ACCEPTED` or `STOPPED`.
  public static let subscriptionExpired = MerchantEventType(rawValue: "subscription.expired")
  /// A subscription was revoked. Cause: the revocation's reason.
  public static let subscriptionRevoked = MerchantEventType(rawValue: "subscription.revoked")
  /// A revoked subscription is active again.
  public static let subscriptionReinstated = MerchantEventType(rawValue: "subscription.reinstated")
  /// The operator has extended a period.
  public static let subscriptionExtended = MerchantEventType(rawValue: "subscription.extended")

  /// The entitlements of a customer changed. The event has the customer's whole state.
  public static let entitlementChanged = MerchantEventType(rawValue: "entitlement.changed")
  /// The account of a customer was removed.
  public static let customerRemoved = MerchantEventType(rawValue: "customer.removed")

  /// All types of this version.
  public static let all: [MerchantEventType] = [
    .orderPaid, .orderRefunded, .orderRefundFailed, .orderRevoked, .orderReinstated, .disputeOpened, .disputeClosed,
    .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionGraceBegan,
    .subscriptionRetryBegan, .subscriptionPlanChangePlanned, .subscriptionPlanChanged,
    .subscriptionRenewalSwitchedOff, .subscriptionRenewalSwitchedOn, .subscriptionPriceConsentAsked,
    .subscriptionPriceConsentAnswered, .subscriptionPausePlanned, .subscriptionPaused, .subscriptionResumed,
    .subscriptionExpired, .subscriptionRevoked, .subscriptionReinstated, .subscriptionExtended, .entitlementChanged,
    .customerRemoved,
  ]
}
