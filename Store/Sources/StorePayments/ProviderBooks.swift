package import Foundation
package import OnsideCommerce

/// A provider that lists what it has of a time, so that the store's books can be compared with it.
package protocol BookkeepingProvider: PaymentProvider {
  /// What was made since a time: charges of this store only, refunds and disputes of all charges.
  func books(since start: Date) async throws -> ProviderBooks
}

/// What a provider has, by its own list.
package struct ProviderBooks: Sendable {
  /// A charge.
  package struct Charge: Sendable, Hashable {
    /// The store's id of the payment.
    package let id: String
    /// The provider's own id.
    package let reference: String
    /// Whether its money came, or with a refund came once.
    package let isPaid: Bool
    package let amount: Money

    package init(id: String, reference: String, isPaid: Bool, amount: Money) {
      self.id = id
      self.reference = reference
      self.isPaid = isPaid
      self.amount = amount
    }
  }

  /// A refund.
  package struct Refund: Sendable, Hashable {
    /// The store's id; nil for one that was made at the provider.
    package let id: String?
    /// The provider's own id.
    package let reference: String
    /// The provider's own id of the charge.
    package let charge: String
    package let amount: Money
    package let state: ProviderRefund.State

    package init(id: String?, reference: String, charge: String, amount: Money, state: ProviderRefund.State) {
      self.id = id
      self.reference = reference
      self.charge = charge
      self.amount = amount
      self.state = state
    }
  }

  /// A dispute.
  package struct Dispute: Sendable, Hashable {
    /// The provider's own id.
    package let reference: String
    /// The provider's own id of the charge.
    package let charge: String
    package let amount: Money
    /// Whether the money was taken, and not put back.
    package let isWithdrawn: Bool
    /// The provider's word for where it stands.
    package let status: String

    package init(reference: String, charge: String, amount: Money, isWithdrawn: Bool, status: String) {
      self.reference = reference
      self.charge = charge
      self.amount = amount
      self.isWithdrawn = isWithdrawn
      self.status = status
    }
  }

  package var charges: [Charge] = []
  package var refunds: [Refund] = []
  package var disputes: [Dispute] = []
  /// Those that have reached the bank, or have not after all; nil when the store may not see them.
  package var payouts: [ProviderPayout]? = []

  package init(
    charges: [Charge] = [], refunds: [Refund] = [], disputes: [Dispute] = [], payouts: [ProviderPayout]? = []
  ) {
    self.charges = charges
    self.refunds = refunds
    self.disputes = disputes
    self.payouts = payouts
  }
}
