import OnsideAPI
import OnsideCommerce

@testable import StoreSales

/// The state of a subscription by its events alone.
struct SubscriptionReplay {
  private(set) var state = SubscriptionStateName.none
  private(set) var renews = false
  /// Events that cannot happen in their state.
  private(set) var faults: [String] = []

  /// - Parameter willRenew: whether the renewal is on after the transaction, for the state of a start.
  mutating func take(_ note: EventNote, willRenew: Bool) {
    let isOver = [SubscriptionStateName.none, .expired, .revoked].contains(state)
    let isStart = note.type == .subscriptionStarted || note.type == .subscriptionReinstated
    if isOver != isStart { faults.append("\(note.text) in \(state.rawValue)") }
    switch note.type {
    case .subscriptionStarted, .subscriptionReinstated: (state, renews) = (.subscribed, willRenew)
    case .subscriptionRenewed, .subscriptionRecovered, .subscriptionPlanChanged: state = .subscribed
    case .subscriptionGraceBegan: enter(.inGracePeriod, by: note)
    case .subscriptionRetryBegan: state = .inBillingRetry
    case .subscriptionPaused: enter(.paused, by: note)
    case .subscriptionResumed:
      if state != .paused { faults.append("\(note.text) in \(state.rawValue)") }
      state = .inBillingRetry
    case .subscriptionExpired: state = .expired
    case .subscriptionRevoked: state = .revoked
    case .subscriptionRenewalSwitchedOff: renews = false
    case .subscriptionRenewalSwitchedOn: renews = true
    default: break
    }
  }

  private mutating func enter(_ next: SubscriptionStateName, by note: EventNote) {
    if state == next { faults.append("\(note.text) twice") }
    state = next
  }
}
