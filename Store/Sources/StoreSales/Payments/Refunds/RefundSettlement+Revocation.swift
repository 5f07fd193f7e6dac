import Foundation
import OnsideCommerce
import StoreBase

/// Revocations of refunded purchases.
extension RefundSettlement {
  /// Books a refund of an order's price that was just inserted, and revokes the purchase by the app's rule.
  func bookAndRevoke(_ refund: Refund, of order: inout Order, in transaction: StoreTransaction) throws {
    try booking.book(refund, of: order, in: transaction)
    try revoke(&order, after: refund, in: transaction)
  }

  /// Revokes a purchase after a refund, by the app's rule, and the grants that replace a revoked purchase. A refund of
  /// the whole price approves the buyer's request.
  func revoke(_ order: inout Order, after refund: Refund, in transaction: StoreTransaction) throws {
    guard !refund.isSurplus, order.duplicateOf == nil, order.state.stage == .paid else { return }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let isWhole = refunds.total >= order.price.minorUnits
    if isWhole { try BuyerRefundRequestRecords.decide(order.id, as: .granted, in: transaction) }
    guard try refunds.isRevoking(order, in: transaction) else { return }
    if try revoke(&order, because: refund.reason, in: transaction) {
      orders.metrics.orderRefunded(in: transaction)
    } else {
      try revokeGrants(of: order, because: refund.reason, in: transaction)
    }
  }

  private func revokeGrants(
    of order: Order, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws {
    for var grant in try orders.orders(.grants(of: order.id), of: order.customer, in: transaction) {
      _ = try revoke(&grant, because: reason, in: transaction)
    }
  }

  /// Revokes a purchase with its duplicates, and the period that it paid. Returns false if it was revoked before.
  private func revoke(
    _ order: inout Order, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws -> Bool {
    guard try order.state.handle(.refunded(reason), at: transaction.now) == .changed else { return false }
    try orders.update(order, in: transaction)
    try signer.sign(&order, in: transaction)
    try revokeDuplicates(of: order, in: transaction)
    try lifecycle.revokePeriod(of: order, in: transaction)
    return true
  }

  private func revokeDuplicates(of order: Order, in transaction: StoreTransaction) throws {
    let duplicates = try orders.orders(.duplicates(of: order.id), of: order.customer, in: transaction)
    for var duplicate in duplicates {
      guard let revocation = order.state.revocation else { return }
      guard try duplicate.state.handle(.refunded(revocation.reason), at: transaction.now) == .changed else { continue }
      try orders.update(duplicate, in: transaction)
    }
  }
}
