import Foundation
import OnsideAPI
import OnsideCommerce

/// Grants: orders of price 0 that replace revoked purchases whose money is with the store again. They have no entry in
/// the ledger and no receipt number; they are signed and delivered as every other order.
extension PaymentSettlement {
  /// Grants a revoked purchase again because of what a provider reports of a dispute.
  func grantIfOwed(_ order: Order, because dispute: Dispute, in transaction: StoreTransaction) throws {
    try grantIfOwed(order, because: "dispute:\(dispute.id)", in: transaction)
  }

  /// Grants a revoked purchase again if a refund of it has failed and nothing else revokes it. While a bank decides
  /// about its payment, the end of the dispute decides.
  ///
  /// - Parameter cause: `refund:ID` or `dispute:ID`. There is one grant for a cause.
  func grantIfOwed(_ order: Order, because cause: String, in transaction: StoreTransaction) throws {
    guard order.state.revocation != nil, order.duplicateOf == nil else { return }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let isDisputed = try DisputeRecords.disputes(of: order.id, in: transaction).contains {
      $0.state == .open && $0.paymentID == order.paymentID
    }
    guard refunds.contains(where: { $0.state == .failed && !$0.isSurplus }), !isDisputed,
      try !isRevoking(refunds, of: order, in: transaction),
      try !Ledger.hasUnrecordedRefund(of: order.id, in: transaction)
    else { return }
    try BuyerRefundRequestRecords.reopen(order.id, in: transaction)
    try grant(order, cause: cause, in: transaction)
  }

  /// Makes the grant of a revoked order, to the order's end. None is made
  /// - after that end,
  /// - beside a grant that is not revoked,
  /// - of a consumable that was granted before, because an app cannot take back what was consumed,
  /// - for a removed account,
  /// - while the account owns the product or has a plan of its subscription group.
  private func grant(_ original: Order, cause: String, in transaction: StoreTransaction) throws {
    let earlier = try orders.orders(.grants(of: original.id), of: original.customer, in: transaction)
    guard original.expiresAt.map({ transaction.now < $0 }) ?? true,
      !earlier.contains(where: { $0.state.isEntitled || $0.cause == cause }),
      earlier.isEmpty || original.product.message.kind != .consumable,
      try AccountRecords.country(of: original.accountID, in: transaction) != nil,
      try owned(like: original, in: transaction) == nil
    else { return }
    // A restored database makes the same grant again, which a device has perhaps delivered.
    let id = renewalIDs.uuid7(
      at: original.paidAt ?? original.createdAt, of: "\(original.id.lowercase) grant \(cause)", ordinal: 0)
    var grant = Order(
      id: id, accountID: original.accountID, appID: original.appID,
      product: original.product, quantity: original.quantity, country: original.country, price: original.price,
      priceText: original.priceText, state: .ownedAlready, reason: .grant, appAccountToken: original.appAccountToken,
      language: original.language, createdAt: transaction.now, paidAt: transaction.now, expiresAt: original.expiresAt,
      originalOrderID: original.originalOrderID, reinstates: original.id, cause: cause)
    grant.setPrice(.zero(original.price.currency))
    guard try beginPeriod(of: &grant, like: original, in: transaction) else { return }
    try orders.insert(grant, in: transaction)
    try sign(&grant, in: transaction)
  }

  /// Begins the period of a granted subscription; false while the account has a plan of the group. True for what is no
  /// subscription.
  private func beginPeriod(
    of grant: inout Order, like original: Order, in transaction: StoreTransaction
  ) throws -> Bool {
    guard let plan = original.plan, let end = original.expiresAt,
      var subscription = try subscription(for: original, in: transaction)
    else { return true }
    let others = try orders.subscriptions(inGroupOf: original, in: transaction)
    guard !others.contains(where: { $0.isOwned(at: transaction.now) }) else { return false }
    var effects = subscription.machine.handle(.clock, at: transaction.now)
    effects += subscription.machine.handle(.granted(plan, until: end), at: transaction.now)
    guard case .began(let period)? = effects.last else { return false }
    let first = original.originalOrderID ?? original.id
    grant.originalOrderID = first
    (subscription.firstOrder, subscription.lastOrder) = (first, grant.id)
    try SubscriptionRecords.insert(period: period.number, of: subscription.key, order: grant.id, in: transaction)
    try carryOut(effects, of: &subscription, in: transaction)
    return true
  }
}
