import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The `app_account_token` of orders that are made on a page of the store.
extension OrderService {
  /// The token of an order in a subscription group: that of the active subscription, which a change of plan keeps, else
  /// the one that the app has given the page. An expired subscription passes none on.
  func pageToken(of key: SubscriptionKey?, given: String?) async throws -> String? {
    guard let key else { return given }
    return try await dependencies.read(for: key.account) { [self] transaction in
      try pageToken(of: key, given: given, in: transaction)
    }
  }

  /// The same inside a transaction.
  func pageToken(of key: SubscriptionKey, given: String?, in transaction: StoreTransaction) throws -> String? {
    guard let known = try SubscriptionRecords.subscription(key, in: transaction),
      known.machine.asOf(transaction.now).isSubscribed
    else { return given }
    return try records.order(known.lastOrder, in: transaction)?.appAccountToken ?? given
  }
}
