import OnsideCommerce

/// Why something cannot happen to a subscription of a local store.
public struct LocalSubscriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The account has no such subscription, or it is over.
    public static let notSubscribed = Code(rawValue: "notSubscribed")
    /// The store sells no such plan in the subscription's group.
    public static let notSold = Code(rawValue: "notSold")
    /// A payment is due, or refused.
    public static let paymentDue = Code(rawValue: "paymentDue")
    /// The renewal is switched off.
    public static let notRenewing = Code(rawValue: "notRenewing")
    /// The subscription is paused already.
    public static let paused = Code(rawValue: "paused")
    /// Another plan was chosen for the next renewal, at a price of its own.
    public static let otherPlan = Code(rawValue: "otherPlan")
    /// The next period begins within a day, and keeps its price.
    public static let renewsSoon = Code(rawValue: "renewsSoon")
    /// The next period is again one of an offer, and keeps the offer's price.
    public static let offerGoesOn = Code(rawValue: "offerGoesOn")
    /// The account is asked about no price.
    public static let noQuestion = Code(rawValue: "noQuestion")
    /// The store has no such offer.
    public static let noOffer = Code(rawValue: "noOffer")
    /// The account may not have the offer now.
    public static let offerNotEligible = Code(rawValue: "offerNotEligible")
    /// A value that makes no sense.
    public static let invalidValue = Code(rawValue: "invalidValue")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// What was expected, what there is, and what to do.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// A mistake about a subscription that is named, in the words of its kind.
  init(_ code: Code, of name: String) {
    switch code {
    case .paymentDue:
      self.init(code, "expected \(name) to be paid, but a payment is due: call fixBilling() first")
    case .notRenewing:
      self.init(code, "expected \(name) to renew, but its renewal is off: call switchOnRenewal() first")
    default:
      self.init(code, "expected \(name) to run, but it does not: buy it first")
    }
  }

  /// What the subscription itself refuses.
  init(refusal: SubscriptionRefusal, of name: String) {
    switch refusal {
    case .paymentDue: self.init(.paymentDue, of: name)
    case .notRenewing: self.init(.notRenewing, of: name)
    case .notSubscribed, .alreadySubscribed, .offerNotEligible, .startsAtRenewal, .startsAtOnce:
      self.init(.notSubscribed, of: name)
    }
  }
}
