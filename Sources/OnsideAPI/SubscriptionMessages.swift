public import Foundation
public import OnsideCommerce

/// Where a subscription stands. A struct, so that a new state breaks no app.
public struct SubscriptionStateName: RawRepresentable, Hashable, Sendable, Codable {
  /// The state on the wire.
  public let rawValue: String

  /// Makes a state from its text on the wire; unknown texts are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The account never subscribed in the group.
  public static let none = SubscriptionStateName(rawValue: "NONE")
  /// Paid, or being paid.
  public static let subscribed = SubscriptionStateName(rawValue: "SUBSCRIBED")
  /// A payment failed and is tried again; the account keeps what it has for a while.
  public static let inGracePeriod = SubscriptionStateName(rawValue: "IN_GRACE_PERIOD")
  /// A payment failed and is tried again; the account has lost what it had.
  public static let inBillingRetry = SubscriptionStateName(rawValue: "IN_BILLING_RETRY")
  /// Interrupted by the account.
  public static let paused = SubscriptionStateName(rawValue: "PAUSED")
  /// Over.
  public static let expired = SubscriptionStateName(rawValue: "EXPIRED")
  /// Taken back.
  public static let revoked = SubscriptionStateName(rawValue: "REVOKED")

  /// The name of a stage.
  public init(_ stage: SubscriptionMachine.Stage) {
    self =
      switch stage {
      case .never: .none
      case .active, .due: .subscribed
      case .grace: .inGracePeriod
      case .retry: .inBillingRetry
      case .paused: .paused
      case .expired: .expired
      case .revoked: .revoked
      }
  }
}

/// An offer that an account may have.
public struct AvailableOfferMessage: Hashable, Sendable, Codable {
  /// The product that it is an offer of.
  public var productID: String
  /// The offer's identifier within the product.
  public var id: String

  enum CodingKeys: String, CodingKey {
    case id
    case productID = "product_id"
  }

  /// Names an offer.
  public init(productID: String, id: String) {
    self.productID = productID
    self.id = id
  }
}

/// The subscription of an account in a group of an app.
public struct SubscriptionMessage: Hashable, Sendable, Codable {
  /// The subscription group.
  public var groupID: String
  /// Where it stands.
  public var state: SubscriptionStateName
  /// The product of the last paid period.
  public var productID: String?
  /// When the last paid period ends, or ended.
  public var expiresAt: Date?
  /// Until when access goes on behind ``expiresAt``, because a payment is being made or has failed.
  public var graceUntil: Date?
  /// Whether it renews by itself.
  public var willRenew: Bool
  /// The product that is renewed; nil when nothing is.
  public var nextProductID: String?
  /// What the next renewal costs; nil when there is none.
  public var nextPrice: PriceMessage?
  /// When a pause ends; nil without one, and for one that the account ends itself.
  public var pausedUntil: Date?
  /// The offers of the group's products that the account may have now, the best first; nil when there are none.
  public var offers: [AvailableOfferMessage]?

  enum CodingKeys: String, CodingKey {
    case state, offers
    case groupID = "group_id"
    case productID = "product_id"
    case expiresAt = "expires_at"
    case graceUntil = "grace_until"
    case willRenew = "will_renew"
    case nextProductID = "next_product_id"
    case nextPrice = "next_price"
    case pausedUntil = "paused_until"
  }

  /// Makes a message.
  public init(
    groupID: String, state: SubscriptionStateName, productID: String? = nil, expiresAt: Date? = nil,
    graceUntil: Date? = nil, willRenew: Bool, nextProductID: String? = nil, nextPrice: PriceMessage? = nil,
    pausedUntil: Date? = nil, offers: [AvailableOfferMessage]? = nil
  ) {
    self.groupID = groupID
    self.state = state
    self.productID = productID
    self.expiresAt = expiresAt
    self.graceUntil = graceUntil
    self.willRenew = willRenew
    self.nextProductID = nextProductID
    self.nextPrice = nextPrice
    self.pausedUntil = pausedUntil
    self.offers = offers
  }

  /// The message of a subscription, whose clock has done what is due.
  public init(_ machine: SubscriptionMachine, groupID: String, priced: (Money) -> PriceMessage) {
    let renews = machine.isSubscribed && machine.autoRenews
    self.init(
      groupID: groupID, state: SubscriptionStateName(machine.stage), productID: machine.period?.plan.productID,
      expiresAt: machine.period?.end, graceUntil: machine.graceUntil, willRenew: renews,
      nextProductID: renews ? (machine.nextPlan ?? machine.period?.plan)?.productID : nil,
      nextPrice: renews ? machine.nextPrice.map(priced) : nil, pausedUntil: machine.pausedUntil)
  }
}

/// The answer of ``Route/subscriptions``.
public struct SubscriptionsMessage: Hashable, Sendable, Codable {
  /// The account's subscriptions in the app, one for each group in which it ever subscribed.
  public var subscriptions: [SubscriptionMessage]

  /// Makes an answer.
  public init(subscriptions: [SubscriptionMessage]) { self.subscriptions = subscriptions }
}

extension SubscriptionMachine {
  /// When a pause ends by itself; nil without a pause, and for one that the account ends.
  fileprivate var pausedUntil: Date? {
    if case .paused(let until) = stage { until } else { nil }
  }
}
