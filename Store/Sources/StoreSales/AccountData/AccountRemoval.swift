import Foundation
import OnsideAPI
import StoreAccounts
import StoreBase
import StorePayments

/// Removal of an account and its personal data. Paid orders stay in the books, under a random id that belongs to no
/// account.
struct AccountRemoval: Sendable {
  let orders: OrderRecords
  let cancellation: OrderCancellation
  let renewals: SubscriptionRenewals
  let environment: StoreEnvironment
  let random: any RandomSource
  let methods: MethodRemovals

  /// Removes an account. Returns false for an unknown or removed account.
  func remove(_ id: AccountID, in transaction: StoreTransaction) throws -> Bool {
    guard let account = try AccountRecords.account(id: id, in: transaction), !account.isRemoved else { return false }
    let transaction = try transaction.at(timeOf: id.description, in: environment)
    for open in try orders.openOrders(of: id.description, in: transaction) {
      guard var order = try orders.order(open, in: transaction) else { continue }
      try cancellation.cancel(&order, because: .user, in: transaction)
    }
    try OfferCodeRecords.releaseUnpaid(of: id.description, in: transaction)
    for var subscription in try SubscriptionRecords.subscriptions(of: id.description, in: transaction) {
      try renewals.cancelRenewal(of: &subscription, in: transaction)
    }
    for method in try PaymentMethodRecords.all(of: id.description, in: transaction) {
      try methods.request(method.details.reference, at: method.provider, of: id.description, in: transaction)
    }
    try methods.accountRemoved(id.description, in: transaction)
    try orders.recordDeletedSubscriber(id, leftBy: account.identities.map(\.identity), in: transaction)
    try CustomerEvents.appendRemoval(of: id.description, in: transaction)
    let other = random.uuid7(at: transaction.now).lowercase
    try AccountRemovalRecords.clear(account, ordersTo: other, in: transaction)
    try AccountRecords.remove(id: id, in: transaction)
    return true
  }
}
