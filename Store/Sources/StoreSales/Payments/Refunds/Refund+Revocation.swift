import OnsideCommerce
import StoreAccounts
import StoreBase

extension [Refund] {
  /// A Boolean value that indicates whether the refunds revoke a purchase, by the rule of its app.
  func isRevoking(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard total < order.price.minorUnits else { return true }
    // A refund of unused time revokes nothing.
    return try contains { !$0.origin.isOfUnusedTime && !$0.isSurplus && $0.state != .failed }
      && AppRecords.rules(of: order.appID, in: transaction).refund == .any
  }
}
