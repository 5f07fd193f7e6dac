package import Foundation
import OnsideCommerce
package import StoreAccounts
import StoreBase

/// The period of a subscription that a charge pays: the same in each copy of the database.
package struct ChargedPeriod: Sendable, Codable, Hashable {
  /// The subscription, 22 characters: a hash of account, app and group. Send it along as metadata.
  package let subscription: String
  /// The plan's product. Send it along as metadata: a copy of the database may have charged another plan.
  package let product: String
  /// The number of the period; no two paid periods of a subscription share one. Send it along as metadata.
  package let number: Int
  /// The earliest time of a charge of this period, by the store's clock.
  package let since: Date
}

extension ChargedPeriod {
  /// How much earlier than in this database the paid period may have begun in a copy, in seconds: the 60 days of
  /// retries, because late money begins a period at its own time.
  private static let earlierStart: TimeInterval = 60 * 86_400

  /// - Parameter paid: the start of the last paid period, by the store's clock.
  package init(_ number: Int, of key: SubscriptionKey, product: String, paid: Date) {
    self.init(
      subscription: String("\(key.account) \(key.app) \(key.group)".sha256Base64URL.prefix(22)), product: product,
      number: number,
      since: paid - Self.earlierStart)
  }
}

/// A charge of a period in the list of a provider.
package struct FoundCharge: Sendable, Hashable {
  /// The payment's id (``ChargeRequest/id``) that it was asked for with, perhaps by a copy of the database.
  package let id: String
  /// The product that was charged.
  package let product: String?
  /// The provider's record of it, with ``ProviderCharge/refunded``.
  package let charge: ProviderCharge

  package init(id: String, product: String?, charge: ProviderCharge) {
    self.id = id
    self.product = product
    self.charge = charge
  }

  /// Whether its whole amount was refunded.
  package var isRefunded: Bool { charge.state == .succeeded && charge.refunded >= charge.amount }
}

extension [FoundCharge] {
  /// The charge that takes the place of a new one: a successful one, else a pending one, else a refunded one, else the
  /// charge of the same payment, which was asked for before; nil without one.
  ///
  /// - Parameter payment: the id of the payment that is to be made.
  package func adoptable(for payment: String) -> FoundCharge? {
    first { $0.charge.state == .succeeded && !$0.isRefunded } ?? first { $0.charge.state == .pending }
      ?? first(where: \.isRefunded) ?? first { $0.id == payment }
  }
}
