import Foundation
import StoreAccounts
import StoreBase

/// The columns of delivery leases. Writing them gives an order no change number: otherwise syncs would return the order
/// to every device of the account after each renewal.
extension OrderRecords {
  /// A device whose leases may be renewed.
  struct LeaseHolder: Sendable {
    var caller: OrderCaller
    /// Leases that were renewed since then are left as they are.
    var renewedBefore: Date

    fileprivate var arguments: [SQLValue] {
      [.text(caller.customer.account), .text(caller.customer.app), .text(caller.device.id), .date(renewedBefore)]
    }

    fileprivate static let condition = """
      account_id = $1 AND app_id = $2 AND held_by = $3 AND held_at < $4 AND state = 'paid' AND finished_at IS NULL
      AND revoked_at IS NULL
      """
  }

  /// Whether a device has a lease to renew.
  func isRenewalDue(_ holder: LeaseHolder, in connection: any SQLConnection) throws -> Bool {
    try connection.row(
      "SELECT 1 AS one FROM orders WHERE \(LeaseHolder.condition) LIMIT 1", holder.arguments) != nil
  }

  /// Renews the leases of a device.
  func renewLeases(of holder: LeaseHolder, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE orders SET held_at = $5 WHERE \(LeaseHolder.condition)", holder.arguments + [.date(transaction.now)])
  }

  /// Gives the lease of an order to a device.
  func setLease(_ lease: DeliveryLease, of id: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE orders SET held_by = $2, held_at = $3 WHERE id = $1",
      [.text(id.lowercase), .text(lease.device), .date(lease.seenAt)])
  }
}
