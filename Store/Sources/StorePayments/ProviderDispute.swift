package import Foundation
package import OnsideCommerce

/// What a provider has of a dispute: a buyer objects to a charge at the bank that the money came from.
package struct ProviderDispute: Sendable, Hashable {
  /// The provider's own id of it.
  package let reference: String
  /// How much of the charge it is about.
  package let amount: Money
  /// The reason that the buyer gave, in the provider's word.
  package let reason: String
  /// Until when evidence may be sent, where the provider says it.
  package var answerBy: Date?

  package init(reference: String, amount: Money, reason: String, answerBy: Date? = nil) {
    self.reference = reference
    self.amount = amount
    self.reason = reason
    self.answerBy = answerBy
  }
}

/// How a dispute ended.
package enum DisputeOutcome: Sendable, Hashable {
  /// The money stays with the store, or comes back to it. An inquiry that was closed without a dispute is won, too.
  case won
  /// The money stays with the buyer.
  case lost
}

/// What a provider takes for its work on a charge or dispute.
package struct ProviderFee: Sendable, Hashable {
  /// The provider's own id of the movement.
  package let reference: String
  /// How much; negative when it was given back. Its currency may be another than the charge's.
  package let amount: Money

  package init(reference: String, amount: Money) {
    self.reference = reference
    self.amount = amount
  }
}
