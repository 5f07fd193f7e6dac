import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The orders that pay the next periods of subscriptions. Each period has one, and each try to pay it is a payment.
extension PaymentSettlement {
  /// Does what is due for a subscription by its account's time: tells the account of what is ahead, then lets it come.
  func passTime(of key: SubscriptionKey, in transaction: StoreTransaction) throws {
    let transaction = try transaction.at(timeOf: key.account, in: environment)
    guard var subscription = try SubscriptionRecords.subscription(key, in: transaction) else { return }
    try messages.writeDue(of: &subscription, in: transaction)
    try prices.deferUnannounced(of: &subscription, in: transaction)
    let effects = subscription.machine.handle(.clock, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }

}
