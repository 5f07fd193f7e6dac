public import Foundation

/// An account in the operator's listings, without its phone number.
public struct AccountListing: Sendable, Hashable {
  /// The account's id.
  public let id: String
  /// The account's region.
  public let country: String
  /// When it was created.
  public let createdAt: Date
  /// When it was removed.
  public let removedAt: Date?
  /// The number of its orders.
  public let orders: Int
}
