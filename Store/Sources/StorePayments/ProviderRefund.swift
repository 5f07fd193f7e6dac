package import Foundation
package import OnsideCommerce
package import StoreBase

/// A refund as the store asks a provider for it.
package struct RefundRequest: Sendable, Codable {
  /// Made by the store, the same over all repetitions: send it along as metadata.
  package let id: String
  /// The payment that money of is given back (``ChargeRequest/id``).
  package let chargeID: String
  /// The provider's own id of the charge, where it has told it.
  package let chargeReference: String?
  /// The order that was paid, a UUID in lower case.
  package let orderID: String
  /// The provider that is asked.
  package let provider: String
  /// The environment that the charge belongs to.
  package let environment: StoreEnvironment
  /// How much, in the currency's smallest unit.
  package let amount: Int64
  /// The whole amount of the charge, in the currency's smallest unit.
  package let chargeAmount: Int64
  /// ISO 4217.
  package let currency: String
  /// When the refund was asked for.
  package let askedAt: Date

  package init(
    id: String, chargeID: String, chargeReference: String?, orderID: String, provider: String,
    environment: StoreEnvironment, amount: Int64, chargeAmount: Int64, currency: String, askedAt: Date
  ) {
    self.id = id
    self.chargeID = chargeID
    self.chargeReference = chargeReference
    self.orderID = orderID
    self.provider = provider
    self.environment = environment
    self.amount = amount
    self.chargeAmount = chargeAmount
    self.currency = currency
    self.askedAt = askedAt
  }

  /// The amount; nil when there is no such currency.
  package var money: Money? { Money(minorUnits: amount, currencyCode: currency) }
  /// The key that names it to the provider.
  package var idempotencyKey: String { "refund:\(id)" }
}

extension RefundRequest {
  /// Rows that were written before a refund had an id of its own name the payment alone.
  package init(from decoder: any Decoder) throws {
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
package enum RefundAnswer: Sendable {
  /// Taken: an event has told what became of it, or will.
  case accepted
  /// What the provider has now.
  case known(ProviderRefund)
}

/// What a provider has of a refund.
package struct ProviderRefund: Sendable, Hashable {
  /// Where a refund stands.
  package enum State: Sendable, Hashable {
    /// Accepted; the money is on its way.
    case pending
    /// The money went back. It may still fail: a bank can send it back days later.
    case succeeded
    /// The money did not go back, or has come back.
    ///
    /// - Parameter reason: the provider's word for it, for the operator.
    case failed(reason: String)
  }

  package let state: State
  /// The store's id of it (``RefundRequest/id``); nil for a refund that was made at the provider.
  package let id: String?
  /// The provider's own id of it.
  package let reference: String
  /// How much, in the currency's smallest unit.
  package let amount: Int64
  /// ISO 4217.
  package let currency: String
  /// Whether the provider cannot tell the store's id: then the refund of this amount that waits is meant. Else a report
  /// without an id is of a refund that the store did not ask for.
  package var isAnonymous = false

  package init(state: State, id: String?, reference: String, amount: Int64, currency: String, isAnonymous: Bool = false)
  {
    self.state = state
    self.id = id
    self.reference = reference
    self.amount = amount
    self.currency = currency
    self.isAnonymous = isAnonymous
  }

  /// The amount; nil when there is no such currency.
  package var money: Money? { Money(minorUnits: amount, currencyCode: currency) }
}
