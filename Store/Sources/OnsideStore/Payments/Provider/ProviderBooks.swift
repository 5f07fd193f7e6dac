import Foundation
import OnsideCommerce

/// A provider that lists what it has of a time, so that the store's books can be compared with it.
protocol BookkeepingProvider: PaymentProvider {
  /// What was made since a time: charges of this store only, refunds and disputes of all charges.
  func books(since start: Date) async throws -> ProviderBooks
}

/// What a provider has, by its own list.
struct ProviderBooks: Sendable {
  /// A charge.
  struct Charge: Sendable, Hashable {
    /// The store's id of the payment.
    let id: String
    /// The provider's own id.
    let reference: String
    /// Whether its money came, or with a refund came once.
    let isPaid: Bool
    let amount: Money
  }

  /// A refund.
  struct Refund: Sendable, Hashable {
    /// The store's id; nil for one that was made at the provider.
    let id: String?
    /// The provider's own id.
    let reference: String
    /// The provider's own id of the charge.
    let charge: String
    let amount: Money
    let state: ProviderRefund.State
  }

  /// A dispute.
  struct Dispute: Sendable, Hashable {
    /// The provider's own id.
    let reference: String
    /// The provider's own id of the charge.
    let charge: String
    let amount: Money
    /// Whether the money was taken, and not put back.
    let isWithdrawn: Bool
    /// The provider's word for where it stands.
    let status: String
  }

  var charges: [Charge] = []
  var refunds: [Refund] = []
  var disputes: [Dispute] = []
  /// Those that have reached the bank, or have not after all; nil when the store may not see them.
  var payouts: [ProviderPayout]? = []
}
