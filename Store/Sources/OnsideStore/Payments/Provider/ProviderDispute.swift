import Foundation
import OnsideCommerce

/// What a provider has of a dispute: a buyer objects to a charge at the bank that the money came from.
struct ProviderDispute: Sendable, Hashable {
  /// The provider's own id of it.
  let reference: String
  /// How much of the charge it is about.
  let amount: Money
  /// The reason that the buyer gave, in the provider's word.
  let reason: String
  /// Until when evidence may be sent, where the provider says it.
  var answerBy: Date?
}

/// How a dispute ended.
enum DisputeOutcome: Sendable, Hashable {
  /// The money stays with the store, or comes back to it. An inquiry that was closed without a dispute is won, too.
  case won
  /// The money stays with the buyer.
  case lost
}

/// What a provider takes for its work on a charge or dispute.
struct ProviderFee: Sendable, Hashable {
  /// The provider's own id of the movement.
  let reference: String
  /// How much; negative when it was given back. Its currency may be another than the charge's.
  let amount: Money
}
