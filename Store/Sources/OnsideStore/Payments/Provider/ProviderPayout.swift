import Foundation
import OnsideCommerce

/// Money that a provider has sent to the store's bank account.
struct ProviderPayout: Sendable, Hashable {
  enum State: Sendable, Hashable {
    /// The bank has it.
    case paid
    /// It did not reach the bank, or came back from there.
    case failed
  }

  /// The most seconds from its making until it reaches the bank: so much further back the lists of payouts reach.
  static let longestJourney: TimeInterval = 14 * 86_400

  /// The provider's own id of it.
  let reference: String
  /// How much. Below zero, the provider has taken it from the bank: it had given more back than it held.
  let amount: Money
  /// Where it stands.
  let state: State
  /// When it was made there, or booked here.
  let date: Date
}
