import Foundation
import OnsideCommerce
import StoreBase

/// A refund as the store asks a provider for it.
struct RefundRequest: Sendable, Codable {
  /// Made by the store, the same over all repetitions: send it along as metadata.
  let id: String
  /// The payment that money of is given back (``ChargeRequest/id``).
  let chargeID: String
  /// The provider's own id of the charge, where it has told it.
  let chargeReference: String?
  /// The order that was paid, a UUID in lower case.
  let orderID: String
  /// The provider that is asked.
  let provider: String
  /// The environment that the charge belongs to.
  let environment: StoreEnvironment
  /// How much, in the currency's smallest unit.
  let amount: Int64
  /// The whole amount of the charge, in the currency's smallest unit.
  let chargeAmount: Int64
  /// ISO 4217.
  let currency: String
  /// When the refund was asked for.
  let askedAt: Date

  /// The amount; nil when there is no such currency.
  var money: Money? { Money(minorUnits: amount, currencyCode: currency) }
  /// The key that names it to the provider.
  var idempotencyKey: String { "refund:\(id)" }
}

extension RefundRequest {
  /// Rows that were written before a refund had an id of its own name the payment alone.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    chargeID = try values.decodeIfPresent(String.self, forKey: .chargeID) ?? id
    chargeReference = try values.decodeIfPresent(String.self, forKey: .chargeReference)
    orderID = try values.decode(String.self, forKey: .orderID)
    provider = try values.decode(String.self, forKey: .provider)
    environment = try values.decode(StoreEnvironment.self, forKey: .environment)
    amount = try values.decode(Int64.self, forKey: .amount)
    chargeAmount = try values.decodeIfPresent(Int64.self, forKey: .chargeAmount) ?? amount
    currency = try values.decode(String.self, forKey: .currency)
    askedAt = try values.decodeIfPresent(Date.self, forKey: .askedAt) ?? .distantPast
  }
}

/// What a provider says at once about a refund.
enum RefundAnswer: Sendable {
  /// Taken: an event has told what became of it, or will.
  case accepted
  /// What the provider has now.
  case known(ProviderRefund)
}

/// What a provider has of a refund.
struct ProviderRefund: Sendable, Hashable {
  /// Where a refund stands.
  enum State: Sendable, Hashable {
    /// Accepted; the money is on its way.
    case pending
    /// The money went back. It may still fail: a bank can send it back days later.
    case succeeded
    /// The money did not go back, or has come back.
    ///
    /// - Parameter reason: the provider's word for it, for the operator.
    case failed(reason: String)
  }

  let state: State
  /// The store's id of it (``RefundRequest/id``); nil for a refund that was made at the provider.
  let id: String?
  /// The provider's own id of it.
  let reference: String
  /// How much, in the currency's smallest unit.
  let amount: Int64
  /// ISO 4217.
  let currency: String
  /// Whether the provider cannot tell the store's id: then the refund of this amount that waits is meant. Else a report
  /// without an id is of a refund that the store did not ask for.
  var isAnonymous = false

  /// The amount; nil when there is no such currency.
  var money: Money? { Money(minorUnits: amount, currencyCode: currency) }
}
