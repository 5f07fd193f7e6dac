import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Grants: orders of price 0 that replace revoked purchases after their refunds have failed. They have no ledger entry
/// and no receipt number. They are signed and delivered as every other order.
package struct PurchaseGrants: Sendable {
  let orders: OrderRecords
  /// The ids of grants, which a restored database repeats.
  let derivedIDs: DerivedID
  let owned: OwnedPurchases
  let signer: ReceiptSigner
  let lifecycle: SubscriptionLifecycle

  /// Grants a revoked purchase again if a refund of it has failed and nothing else revokes it. During a dispute about
  /// its payment, the end of the dispute decides.
  func grantIfOwed(_ order: Order, because cause: GrantCause, in transaction: StoreTransaction) throws {
    guard order.state.revocation != nil, order.duplicateOf == nil else { return }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let isDisputed = try DisputeRecords.disputes(of: order.id, in: transaction).contains {
      $0.state == .open && $0.paymentID == order.paymentID
    }
    guard refunds.contains(where: { $0.state == .failed && !$0.isSurplus }), !isDisputed,
      try !refunds.isRevoking(order, in: transaction),
      try !Ledger.hasUnrecordedRefund(of: order.id, in: transaction)
    else { return }
    try BuyerRefundRequestRecords.reopen(order.id, in: transaction)
    try grant(order, because: cause, in: transaction)
  }

  /// Inserts the grant of a revoked order, which ends with the order. Inserts none
  /// - after that end,
  /// - beside a grant that is not revoked,
  /// - of a consumable that was granted before, because an app cannot revoke a consumed product,
  /// - for a removed account,
  /// - while the account owns the product or has a plan of its subscription group.
  private func grant(_ original: Order, because cause: GrantCause, in transaction: StoreTransaction) throws {
    let earlier = try orders.orders(.grants(of: original.id), of: original.customer, in: transaction)
    guard original.expiresAt.map({ transaction.now < $0 }) ?? true,
      !earlier.contains(where: { $0.state.isEntitled || $0.cause == cause }),
      earlier.isEmpty || original.product.message.kind != .consumable,
      try AccountRecords.country(of: original.accountID, in: transaction) != nil
    else { return }
    // The id is derived, because a restored database repeats a grant that a device may have delivered. An app may have
    // chosen the id for another order.
    let id = try derivedIDs.firstFree(
      at: original.paidAt ?? original.createdAt, of: "\(original.id.lowercase) grant \(cause.text)"
    ) { try orders.order($0, in: transaction) != nil }
    var grant = original.grant(id, because: cause, until: original.expiresAt, at: transaction.now)
    _ = try insert(grant: &grant, of: original.plan, in: transaction)
  }

  /// Inserts a grant, signs it and begins its period. Returns false and writes nothing while the account owns the
  /// product or has a plan of its subscription group.
  ///
  /// - Parameter plan: the plan of a subscription, at the price of its renewals; nil for other products.
  func insert(grant: inout Order, of plan: SubscriptionPlan?, in transaction: StoreTransaction) throws -> Bool {
    guard try owned.purchase(like: grant, in: transaction) == nil,
      try plan.map({ try beginGrantedPeriod(of: &grant, of: $0, in: transaction) }) ?? true
    else { return false }
    try orders.insert(grant, in: transaction)
    try signer.sign(&grant, in: transaction)
    return true
  }

  /// Begins the period of a granted subscription. Returns false while the account has a plan of the group.
  private func beginGrantedPeriod(
    of grant: inout Order, of plan: SubscriptionPlan, in transaction: StoreTransaction
  ) throws -> Bool {
    guard let end = grant.expiresAt, var subscription = try StoredSubscription(paidBy: grant, in: transaction) else {
      return true
    }
    let others = try orders.subscriptions(inGroupOf: grant, in: transaction)
    guard !others.contains(where: { $0.isOwned(at: transaction.now) }) else { return false }
    var effects = subscription.machine.handle(.clock, at: transaction.now)
    effects += subscription.machine.handle(.granted(plan, until: end), at: transaction.now)
    guard case .began(let period)? = effects.last else { return false }
    (subscription.firstOrder, subscription.lastOrder) = (grant.originalOrderID ?? grant.id, grant.id)
    try SubscriptionRecords.insert(period: period.number, of: subscription.key, order: grant.id, in: transaction)
    try lifecycle.carryOut(effects, of: &subscription, in: transaction)
    return true
  }
}

extension Order {
  /// The grant that replaces a revoked order, before it is written.
  func grant(_ id: UUID, because cause: GrantCause, until end: Date?, at now: Date) -> Order {
    var grant = Order(
      id: id, accountID: accountID, appID: appID, product: product, quantity: quantity, country: country,
      price: price, priceText: priceText, state: .ownedAlready, reason: .grant, appAccountToken: appAccountToken,
      language: language, createdAt: now, paidAt: now, expiresAt: end,
      originalOrderID: plan == nil ? originalOrderID : originalOrderID ?? self.id, reinstates: self.id, cause: cause)
    grant.setPrice(.zero(price.currency))
    return grant
  }
}
