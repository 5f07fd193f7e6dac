package import Foundation
package import OnsideCommerce

/// Money that a provider has sent to the store's bank account.
package struct ProviderPayout: Sendable, Hashable {
  package enum State: Sendable, Hashable {
    /// The bank has it.
    case paid
    /// It did not reach the bank, or came back from there.
    case failed
  }

  /// The most seconds from its making until it reaches the bank: so much further back the lists of payouts reach.
  package static let longestJourney: TimeInterval = 14 * 86_400

  /// The provider's own id of it.
  package let reference: String
  /// How much. Below zero, the provider has taken it from the bank: it had given more back than it held.
  package let amount: Money
  /// Where it stands.
  package let state: State
  /// When it was made there, or booked here.
  package let date: Date

  package init(reference: String, amount: Money, state: State, date: Date) {
    self.reference = reference
    self.amount = amount
    self.state = state
    self.date = date
  }
}
