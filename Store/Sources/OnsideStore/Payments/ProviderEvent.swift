import Foundation
import OnsideCommerce

/// What a provider tells of a payment.
struct ProviderEvent: Sendable, Codable {
  enum Kind: String, Sendable, Codable {
    case succeeded, declined, pending, refunded

    /// The state of a payment of which it is told.
    var state: Payment.State {
      switch self {
      case .succeeded: .succeeded
      case .declined: .declined
      case .pending: .pending
      case .refunded: .refunded
      }
    }
  }

  /// The same for every repetition.
  let eventID: String
  let type: Kind
  let paymentID: String
  let orderID: String
  /// How much was moved or refused, in the currency's smallest unit.
  let amount: Int64
  /// The currency, ISO 4217.
  let currency: String

  /// How much was moved or refused; nil when there is no such currency.
  var money: Money? { Money(minorUnits: amount, currencyCode: currency) }

  enum CodingKeys: String, CodingKey {
    case type, amount, currency
    case eventID = "event_id"
    case paymentID = "payment_id"
    case orderID = "order_id"
  }
}
