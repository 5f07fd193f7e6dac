import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Applies time, payments and revocations to subscriptions, and carries out the effects. `SubscriptionMachine` decides.
package final class SubscriptionLifecycle: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let environment: StoreEnvironment
  let periods: PeriodOrders
  let unusedTime: UnusedTimeRefunds
  let messages: SubscriberMessageWriter
  let consents: SubscriptionConsents
  let prices: SubscriptionPrices
  let renewals: SubscriptionRenewals

  init(
    orders: OrderRecords, payments: PaymentRecords, environment: StoreEnvironment, periods: PeriodOrders,
    unusedTime: UnusedTimeRefunds, messages: SubscriberMessageWriter, consents: SubscriptionConsents,
    prices: SubscriptionPrices, renewals: SubscriptionRenewals
  ) {
    self.orders = orders
    self.payments = payments
    self.environment = environment
    self.periods = periods
    self.unusedTime = unusedTime
    self.messages = messages
    self.consents = consents
    self.prices = prices
    self.renewals = renewals
  }

  /// Applies the present time of its account to a subscription: writes due messages, defers unannounced prices, then
  /// requests due charges and ends expired periods.
  func passTime(of key: SubscriptionKey, in transaction: StoreTransaction) throws {
    let transaction = try transaction.at(timeOf: key.account, in: environment)
    guard var subscription = try SubscriptionRecords.subscription(key, in: transaction) else { return }
    try messages.writeDue(of: &subscription, in: transaction)
    try prices.deferUnannounced(of: &subscription, in: transaction)
    let effects = subscription.machine.handle(.clock, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Applies the next due moment of a subscription now, for testers. Returns false if nothing is due.
  func runNextEvent(of key: SubscriptionKey, in transaction: StoreTransaction) throws -> Bool {
    guard var subscription = try SubscriptionRecords.subscription(key, in: transaction),
      let moment = subscription.machine.wakesAt
    else { return false }
    try messages.writeDue(of: &subscription, by: moment, in: transaction)
    let effects = subscription.machine.handle(.clock, at: max(moment, transaction.now))
    try carryOut(effects, of: &subscription, in: transaction)
    return true
  }

  /// Carries out the effects of a subscription, writes the message about an unpaid period, and saves the subscription.
  func carryOut(
    _ effects: [SubscriptionEffect], of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    var effects = effects[...]
    while let effect = effects.popFirst() {
      switch effect {
      case .charge(let charge): effects += try renewals.requestCharge(for: charge, of: &subscription, in: transaction)
      case .expired, .revoked:
        try renewals.cancelRenewal(of: &subscription, in: transaction)
        (subscription.method, subscription.consent) = (nil, nil)
      case .refundUnused(let unused, let period):
        try unusedTime.refund(unused, of: period, in: subscription.key, transaction: transaction)
      case .periodDropped(let running): try restoreLast(running, of: &subscription, in: transaction)
      // ``PaymentObstacles`` has found rejected payments before.
      case .began, .graceBegan, .retryBegan, .paused, .askConsent, .refused, .refundCharge: break
      }
    }
    try messages.writeUnpaid(of: &subscription, in: transaction)
    try SubscriptionRecords.save(subscription, in: transaction)
  }

  /// Makes the order of the running period the last one again, with the number of the revoked period.
  private func restoreLast(
    _ running: PaidPeriod, of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    guard let order = try periods.paidOrder(ofPeriod: running.number - 1, in: subscription.key, connection: transaction)
    else { return }
    try SubscriptionRecords.setPeriod(running.number, ofOrder: order.id, in: transaction)
    subscription.lastOrder = order.id
  }
}
