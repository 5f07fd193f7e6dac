public import Foundation
public import OnsideCommerce

/// An order in the operator's listings.
public struct OrderListing: Sendable, Hashable {
  /// The order's id.
  public let id: String
  /// The app that it was made in.
  public let app: String
  /// The account that it belongs to.
  public let account: String
  /// The product ordered.
  public let product: String
  /// The number of units.
  public let quantity: Int
  /// The region of the order.
  public let country: String
  /// The price of all units, which is charged, or was.
  public let price: Money
  /// `open`, `processing`, `paid` or `cancelled`.
  public let state: String
  /// When it was made.
  public let createdAt: Date
  /// When it was paid.
  public let paidAt: Date?
  /// Why it exists: a purchase, a renewal, a change of plan or a grant.
  public let reason: TransactionReason
  /// When it ends; nil for what does not end, and before it is paid.
  public let expiresAt: Date?
  /// When the app finished it.
  public let finishedAt: Date?
  /// When it was refunded or revoked.
  public let revokedAt: Date?
  /// Why it was refunded or revoked.
  public let revocationReason: String?
  /// The order that this one duplicates; nothing was charged for the duplicate.
  public let duplicateOf: String?
}
