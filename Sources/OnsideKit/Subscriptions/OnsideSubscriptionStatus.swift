public import Foundation
import OnsideAPI

/// Where a subscription stands. The store may add states: treat an unknown one like ``expired``. An addition to the
/// published API.
public struct OnsideSubscriptionState: RawRepresentable, Sendable, Hashable, Codable {
  /// The state's name, for example `SUBSCRIBED`.
  public let rawValue: String

  /// Makes a state from its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The account never subscribed in the group, or no account is logged in.
  public static let notSubscribed = OnsideSubscriptionState(rawValue: "NONE")
  /// Paid, or being paid.
  public static let subscribed = OnsideSubscriptionState(rawValue: "SUBSCRIBED")
  /// A payment failed and is tried again; the account keeps what it has for a while.
  public static let inGracePeriod = OnsideSubscriptionState(rawValue: "IN_GRACE_PERIOD")
  /// A payment failed and is tried again; the account has lost what it had.
  public static let inBillingRetry = OnsideSubscriptionState(rawValue: "IN_BILLING_RETRY")
  /// Interrupted by the account.
  public static let paused = OnsideSubscriptionState(rawValue: "PAUSED")
  /// Over.
  public static let expired = OnsideSubscriptionState(rawValue: "EXPIRED")
  /// Taken back.
  public static let revoked = OnsideSubscriptionState(rawValue: "REVOKED")
}

/// The subscription of the logged-in account in a group. An addition to the published API.
///
/// For what the account may use, ask ``Onside/entitlements``, which works offline; this is for a screen that shows the
/// subscription. It comes from ``Onside/subscriptionStatus(group:)``.
public struct OnsideSubscriptionStatus: Sendable, Hashable {
  /// The subscription group.
  public let groupIdentifier: String
  /// Where it stands.
  public let state: OnsideSubscriptionState
  /// The product of the last paid period; `nil` before the first.
  public let productIdentifier: String?
  /// When the last paid period ends, or ended.
  public let expirationDate: Date?
  /// Until when access goes on behind ``expirationDate``, because a payment is being made or has failed.
  public let gracePeriodExpirationDate: Date?
  /// Whether it renews by itself.
  public let willAutoRenew: Bool
  /// The product that is renewed: another one than ``productIdentifier`` after a change of plan; `nil` when nothing is.
  public let nextProductIdentifier: String?
  /// What the next renewal costs; `nil` when there is none.
  public let nextPrice: OnsidePrice?
  /// When a pause ends by itself; `nil` without one, and for one that the account ends.
  public let pausedUntil: Date?
  /// The offers of the group's products that the account may have now, the best first: win-back offers, and promotional
  /// ones, which need a signature of the app's server.
  public let offers: [OnsideAvailableOffer]

  /// Makes a status, for an app's own tests and previews.
  public init(
    groupIdentifier: String, state: OnsideSubscriptionState, productIdentifier: String? = nil,
    expirationDate: Date? = nil, gracePeriodExpirationDate: Date? = nil, willAutoRenew: Bool = false,
    nextProductIdentifier: String? = nil, nextPrice: OnsidePrice? = nil, pausedUntil: Date? = nil,
    offers: [OnsideAvailableOffer] = []
  ) {
    self.groupIdentifier = groupIdentifier
    self.state = state
    self.productIdentifier = productIdentifier
    self.expirationDate = expirationDate
    self.gracePeriodExpirationDate = gracePeriodExpirationDate
    self.willAutoRenew = willAutoRenew
    self.nextProductIdentifier = nextProductIdentifier
    self.nextPrice = nextPrice
    self.pausedUntil = pausedUntil
    self.offers = offers
  }

  init(_ message: SubscriptionMessage) {
    self.init(
      groupIdentifier: message.groupID, state: OnsideSubscriptionState(rawValue: message.state.rawValue),
      productIdentifier: message.productID,
      expirationDate: message.expiresAt, gracePeriodExpirationDate: message.graceUntil,
      willAutoRenew: message.willRenew, nextProductIdentifier: message.nextProductID,
      nextPrice: message.nextPrice.map(OnsidePrice.init), pausedUntil: message.pausedUntil,
      offers: (message.offers ?? []).map {
        OnsideAvailableOffer(productIdentifier: $0.productID, offerIdentifier: $0.id)
      })
  }
}
