package import Foundation
package import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// A paid order on which a merchant's server acts.
package struct MerchantOrder: Sendable {
  /// The account and the app. The orders of a removed account have another account than their customer had.
  package let customer: Customer
  /// The customer's pseudonym.
  package let subject: String?
  /// The id of the product.
  package let product: String
  /// The price.
  package let price: Money
  /// The subscription of the order's group; nil for every other product.
  package let subscription: SubscriptionKey?
  /// The JSON of the order, as its events have it.
  package let json: String
}

/// The objects on which merchants' servers act, as they are in a transaction.
package enum MerchantObjects {
  /// A paid order of an app; nil for an unpaid order, a duplicate, and an order of another app.
  package static func order(
    _ id: UUID, of app: String, in transaction: StoreTransaction
  ) throws -> MerchantOrder? {
    let known = try OrderEventRecords.order(
      id, products: OrderedProducts(), at: transaction.now, in: transaction)
    guard let known, known.customer.app == app else { return nil }
    let purchase = known.object.purchase
    return MerchantOrder(
      customer: known.customer, subject: purchase.subject, product: purchase.productID, price: purchase.price,
      subscription: purchase.subscriptionID.map { known.customer.subscription(in: $0) }, json: known.object.json)
  }

  /// The JSON of a refund as in its order; nil for an unknown one.
  package static func refund(_ id: UUID, in connection: any SQLConnection) throws -> String? {
    try RefundRecords.refund(id.lowercase, in: connection).map { OrderObject.json(of: $0) }
  }

  /// The JSON of a subscription as its events have it; nil if the account has never subscribed in the group.
  package static func subscription(_ key: SubscriptionKey, in transaction: StoreTransaction) throws -> String? {
    guard let subscription = try SubscriptionRecords.subscription(key, in: transaction),
      let order = try SubscriptionEventRecords.order(subscription.lastOrder, in: transaction)
    else { return nil }
    return try SubscriptionObject(subscription, pricedLike: order, at: transaction.now).json()
  }
}
