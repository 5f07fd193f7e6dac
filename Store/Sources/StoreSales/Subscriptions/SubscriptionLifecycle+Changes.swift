import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// Changes of subscriptions by their accounts and the operator.
extension SubscriptionLifecycle {
  /// Switches the renewal of a subscription off or on, and records the consent to a renewal that is on. Returns false
  /// if nothing changes.
  ///
  /// - Parameters:
  ///   - shownPrice: the price beside the button that switches the renewal on; nil for a caller that knows the price.
  ///   - before: the stored subscription.
  ///   - chosen: the product of an accepted offer, and the region of its price; nil for the product of the present
  ///     consent or the last period.
  func setAutoRenew(
    _ isOn: Bool, shownPrice: Money?, of subscription: inout StoredSubscription, since before: SubscriptionMachine,
    toChosen chosen: (product: Int64, country: CountryCode)? = nil, in transaction: StoreTransaction
  ) throws -> Bool {
    guard
      try !isOn
        || subscription.canRenew && subscription.mayAgree(to: subscription.machine.plannedPlan, in: transaction),
      !isOn || shownPrice == nil || shownPrice == subscription.machine.nextPrice
    else { return false }
    var effects = subscription.machine.handle(.autoRenewSwitched(on: isOn), at: transaction.now)
    guard subscription.machine != before else { return false }
    if isOn {
      // The button beside the price is the consent to that price.
      effects += try prices.agree(to: shownPrice, of: &subscription, in: transaction)
      try consents.record(toChosen: chosen, of: &subscription, in: transaction)
    }
    try prices.moveDate(of: subscription, ifPauseEndedSince: before, in: transaction)
    try carryOut(effects, of: &subscription, in: transaction)
    return true
  }

  /// Sets the method of a subscription, records the consent to the next price, and charges an unpaid renewal.
  func setMethod(
    _ method: SavedPaymentMethod, of known: StoredSubscription, in transaction: StoreTransaction
  ) throws {
    var known = known
    known.method = method.id
    try consents.record(of: &known, in: transaction)
    let effects = known.machine.handle(.retryRequested, at: transaction.now)
    try carryOut(effects, of: &known, in: transaction)
  }

  /// Charges unpaid renewals of the subscriptions that use a method, after its bank has replaced the card.
  func retryRenewals(using id: String, in transaction: StoreTransaction) throws {
    try changeSubscriptions(using: id, in: transaction) { $0.machine.handle(.retryRequested, at: $1.now) }
  }

  /// Removes a method from the subscriptions that use it, and switches off their renewal. An unpaid or paused
  /// subscription, which would expire at once, waits for another method.
  func removeMethod(_ id: String, in transaction: StoreTransaction) throws {
    try changeSubscriptions(using: id, in: transaction) { subscription, transaction in
      subscription.method = nil
      let before = subscription.machine
      guard !before.isUnpaid, before.stage == .active || before.stage == .due else { return [] }
      let effects = subscription.machine.handle(.autoRenewSwitched(on: false), at: transaction.now)
      try prices.moveDate(of: subscription, ifPauseEndedSince: before, in: transaction)
      return effects
    }
  }

  /// Changes the subscriptions that use a method, at the times of their accounts.
  private func changeSubscriptions(
    using method: String, in transaction: StoreTransaction,
    _ change: (inout StoredSubscription, StoreTransaction) throws -> [SubscriptionEffect]
  ) throws {
    for var subscription in try SubscriptionRecords.using(method: method, in: transaction) {
      let transaction = try transaction.at(timeOf: subscription.key.account, in: environment)
      let before = subscription
      let effects = try change(&subscription, transaction)
      guard subscription.machine != before.machine || subscription.method != before.method else { continue }
      try carryOut(effects, of: &subscription, in: transaction)
    }
  }

  /// Moves the end of the paid period of a subscription.
  func extend(
    _ known: inout StoredSubscription, to end: Date, in transaction: StoreTransaction
  ) throws {
    let paid = known.machine.period
    let effects = known.machine.handle(.extended(to: end), at: transaction.now)
    switch effects.first {
    case .refused(.notSubscribed)?: throw ExtensionError.notRunning
    case .refused?: throw known.machine.isPaused ? ExtensionError.notRunning : ExtensionError.beingRenewed
    default: break
    }
    if let paid, known.machine.period == paid { throw ExtensionError.notLater(paid.end) }
    guard let order = try orders.order(known.lastOrder, in: transaction) else { throw OrderError.notFound }
    try periods.move(order, to: end, in: transaction)
    try prices.moveDate(of: known, to: known.machine.nextPeriodStart, in: transaction)
    try carryOut(effects, of: &known, in: transaction)
  }
}

extension SubscriptionMachine {
  fileprivate var isPaused: Bool {
    if case .paused = stage { true } else { false }
  }
}
