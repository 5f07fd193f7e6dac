import OnsideCommerce
public import OnsideKit

/// Where a subscription stands; the names are those of `Product.SubscriptionInfo.RenewalState`.
public enum SubscriptionState: String, CaseIterable, Sendable {
  /// Paid, or about to be.
  case subscribed
  /// A renewal failed; the account keeps what it has for a while.
  case inGracePeriod
  /// A renewal failed, and the account has lost what it had; the payment is tried again for a while.
  case inBillingRetryPeriod
  /// Interrupted by the account.
  case paused
  /// Over.
  case expired
  /// Taken back.
  case revoked

  init?(_ stage: SubscriptionMachine.Stage) {
    switch stage {
    case .never: return nil
    case .active, .due: self = .subscribed
    case .grace: self = .inGracePeriod
    case .retry: self = .inBillingRetryPeriod
    case .paused: self = .paused
    case .expired: self = .expired
    case .revoked: self = .revoked
    }
  }
}

extension LocalSubscription {
  /// Where it stands, at the session's time; `nil` when the account never had it, or has changed to another product.
  public var state: SubscriptionState? { machine.flatMap { SubscriptionState($0.stage) } }
}
