import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The period of a subscription that a charge pays: the same in each copy of the database.
struct ChargedPeriod: Sendable, Codable, Hashable {
  /// The subscription, 22 characters: a hash of account, app and group. Send it along as metadata.
  let subscription: String
  /// The plan's product. Send it along as metadata: a copy of the database may have charged another plan.
  let product: String
  /// The number of the period; no two paid periods of a subscription share one. Send it along as metadata.
  let number: Int
  /// The earliest time of a charge of this period, by the store's clock.
  let since: Date
}

extension ChargedPeriod {
  /// How much earlier than in this database the paid period may have begun in a copy, in seconds: the 60 days of
  /// retries, because late money begins a period at its own time.
  private static let earlierStart: TimeInterval = 60 * 86_400

  /// - Parameter paid: the start of the last paid period, by the store's clock.
  init(_ number: Int, of key: SubscriptionKey, product: String, paid: Date) {
    self.init(
      subscription: String("\(key.account) \(key.app) \(key.group)".sha256Base64URL.prefix(22)), product: product,
      number: number,
      since: paid - Self.earlierStart)
  }
}

/// A charge of a period in the list of a provider.
struct FoundCharge: Sendable, Hashable {
  /// The payment's id (``ChargeRequest/id``) that it was asked for with, perhaps by a copy of the database.
  let id: String
  /// The product that was charged.
  let product: String?
  /// The provider's record of it, with ``ProviderCharge/refunded``.
  let charge: ProviderCharge

  /// Whether its whole amount was refunded.
  var isRefunded: Bool { charge.state == .succeeded && charge.refunded >= charge.amount }
}

extension [FoundCharge] {
  /// The charge that takes the place of a new one: a successful one, else a pending one, else a refunded one, else the
  /// charge of the same payment, which was asked for before; nil without one.
  ///
  /// - Parameter payment: the id of the payment that is to be made.
  func adoptable(for payment: String) -> FoundCharge? {
    first { $0.charge.state == .succeeded && !$0.isRefunded } ?? first { $0.charge.state == .pending }
      ?? first(where: \.isRefunded) ?? first { $0.id == payment }
  }
}
