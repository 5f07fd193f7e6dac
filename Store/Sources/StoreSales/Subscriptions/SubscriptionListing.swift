public import Foundation
public import OnsideCommerce
public import StoreAccounts
import StoreBase

/// A subscription as the operator sees it.
public struct SubscriptionListing: Sendable {
  /// Whose it is, and in which group.
  public let key: SubscriptionKey
  /// The product of the last paid period.
  public let product: String
  /// `active`, `asked` (it ends unless its account agrees to a price), `pausing` (it pauses after
  /// the period), `ending` (it will not be renewed), `due`, `grace`, `retry`, `paused`, `expired` or `revoked`.
  public let state: String
  /// When the last paid period ends.
  public let paidUntil: Date?
  /// The product of the next period, when it is another one.
  public let nextProduct: String?
  /// When a pause ends that runs or is planned; nil without one.
  public let pausedUntil: Date?
  /// When access ends, as things stand: with the paid period, or with the grace period behind it; past when it has
  /// ended.
  public let accessUntil: Date?
  /// When the next charge is made, as things stand; nil when none is planned, or one is not answered.
  public let nextChargeAt: Date?
  /// What the next renewal costs; nil where none can come, also because the account has not agreed to its price.
  public let nextPrice: Money?
  /// When something is due next: a charge, the end of a grace period; nil when nothing is.
  public let due: Date?

  init(_ subscription: StoredSubscription) {
    let machine = subscription.machine
    key = subscription.key
    product = machine.period?.plan.productID ?? ""
    state = machine.stateName
    paidUntil = machine.period?.end
    due = machine.wakesAt
    nextProduct = machine.nextPlan?.productID
    accessUntil = machine.graceUntil ?? machine.entitledUntil ?? machine.period?.end
    nextChargeAt = machine.nextChargeAt
    nextPrice = machine.isSubscribed && machine.autoRenews && !machine.awaitsConsent ? machine.nextPrice : nil
    pausedUntil = if case .paused(let until) = machine.stage { until } else { machine.plannedPauseEnd }
  }
}

extension SubscriptionMachine {
  fileprivate var stateName: String {
    switch stage {
    case .never: "never"
    case .active where !autoRenews: "ending"
    case .active: awaitsConsent ? "asked" : plannedPauseEnd == nil ? "active" : "pausing"
    case .due: "due"
    case .grace: "grace"
    case .retry: "retry"
    case .paused: "paused"
    case .expired: "expired"
    case .revoked: "revoked"
    }
  }
}
