public import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// What happened with a purchase, in the order of time: for whoever decides about its refund, or answers its dispute.
public struct PurchaseStory: Sendable, Hashable {
  /// One thing that happened.
  public struct Event: Sendable, Hashable {
    /// When.
    public let date: Date
    /// What, in words.
    public let text: String
  }

  /// The events, the oldest first.
  public let events: [Event]
}
