public import Foundation
public import OnsideCommerce

/// An objection to a payment, at the bank that the money came from.
public struct Dispute: Sendable, Hashable, Identifiable {
  /// Where a dispute stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// No dispute yet: the bank says that the payment is probably a fraud.
    case warning
    /// The bank waits for evidence, or decides.
    case open
    /// The money stays with the store, or has come back.
    case won
    /// The money stays with the buyer.
    case lost
  }

  /// The provider's name and its id there: `stripe:du_…`.
  public let id: String
  /// The order that was paid.
  public let orderID: UUID
  /// The payment that is objected to.
  public let paymentID: String
  /// How much of it.
  public internal(set) var amount: Money
  /// The reason that the buyer gave, in the provider's word.
  public internal(set) var reason: String
  /// Where it stands.
  public internal(set) var state: State
  /// Whether the provider has taken the money, and not put it back.
  public internal(set) var isWithdrawn: Bool
  /// When the store was told of it.
  public let openedAt: Date
  /// Until when evidence may be sent.
  public internal(set) var answerBy: Date?
  /// When it ended.
  public internal(set) var closedAt: Date?

  /// Whether a refund would pay the buyer a second time.
  var holdsRefunds: Bool { isWithdrawn && state != .lost }
}
