package import Foundation
package import OnsideCommerce
package import StoreBase

/// A charge as the store asks a provider for it. It is written into the outbox: no card number and no password may be
/// in it.
package struct ChargeRequest: Sendable, Codable {
  /// The payment's id, made by the store. It names one attempt to pay, over all repetitions and steps of it: send it
  /// along as metadata, and know a repetition by it.
  package let id: String
  /// The order that is paid, a UUID in lower case: send it along as metadata.
  package let orderID: String
  /// The account that pays, a UUID in lower case; empty in a row that was written before accounts were named.
  package let account: String
  /// The provider that is asked.
  package let provider: String
  /// The environment that the charge belongs to.
  let environment: StoreEnvironment
  /// What pays: the provider's id of a saved method (``isSaved``), or the value of a ``PaymentMethodChoice``.
  package let method: String
  /// Whether ``method`` names a saved method.
  package let isSaved: Bool
  /// Whether the buyer wants the method saved for the next time. The provider then gets the buyer's consent to later
  /// charges, and answers with the method's details.
  package let remembers: Bool
  /// What the provider's own fields of the page have sent, such as a one-time token, by names that begin with
  /// `provider_`.
  let fields: [String: String]
  /// In the currency's smallest unit.
  package let amount: Int64
  /// ISO 4217.
  package let currency: String
  /// The provider's own id of the charge, once an answer or event has told it.
  package let reference: String?
  /// Which call about this payment it is, counted from 1; nil in what was written down before calls were counted.
  package let step: Int64?
  /// When this call was written down. A repetition has the same time.
  package let askedAt: Date?
  /// Until when a buyer's payment may be started; nil for none.
  package let startBefore: Date?
  /// The period of a subscription that a renewal pays; nil for a purchase, and in a row of an earlier version.
  package var period: ChargedPeriod?

  package init(
    id: String, orderID: String, account: String, provider: String, environment: StoreEnvironment, method: String,
    isSaved: Bool, remembers: Bool, fields: [String: String], amount: Int64, currency: String, reference: String?,
    step: Int64?, askedAt: Date?, startBefore: Date?, period: ChargedPeriod? = nil
  ) {
    self.id = id
    self.orderID = orderID
    self.account = account
    self.provider = provider
    self.environment = environment
    self.method = method
    self.isSaved = isSaved
    self.remembers = remembers
    self.fields = fields
    self.amount = amount
    self.currency = currency
    self.reference = reference
    self.step = step
    self.askedAt = askedAt
    self.startBefore = startBefore
    self.period = period
  }

  /// Whether nothing is charged: a free trial, or a price of 0. A provider that moves no 0 sees that its method can be
  /// charged later.
  package var isFree: Bool { amount == 0 }
  /// The amount; nil when there is no such currency.
  package var money: Money? { Money(minorUnits: amount, currencyCode: currency) }

  /// A key that names one operation on this payment with this method: another method or step has another key, so that
  /// the provider never refuses a key as used for something else. At most 255 bytes for the operations here.
  package func idempotencyKey(_ operation: String) -> String {
    "\(operation):\(id):\(step ?? 0):\(method.sha256Base64URL.prefix(16))"
  }
}

extension ChargeRequest {
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    orderID = try values.decode(String.self, forKey: .orderID)
    account = try values.decodeIfPresent(String.self, forKey: .account) ?? ""
    provider = try values.decode(String.self, forKey: .provider)
    environment = try values.decode(StoreEnvironment.self, forKey: .environment)
    method = try values.decode(String.self, forKey: .method)
    isSaved = try values.decodeIfPresent(Bool.self, forKey: .isSaved) ?? false
    remembers = try values.decodeIfPresent(Bool.self, forKey: .remembers) ?? false
    fields = try values.decodeIfPresent([String: String].self, forKey: .fields) ?? [:]
    amount = try values.decode(Int64.self, forKey: .amount)
    currency = try values.decode(String.self, forKey: .currency)
    reference = try values.decodeIfPresent(String.self, forKey: .reference)
    step = try values.decodeIfPresent(Int64.self, forKey: .step)
    askedAt = try values.decodeIfPresent(Date.self, forKey: .askedAt)
    startBefore = try values.decodeIfPresent(Date.self, forKey: .startBefore)
    period = try values.decodeIfPresent(ChargedPeriod.self, forKey: .period)
  }
}
