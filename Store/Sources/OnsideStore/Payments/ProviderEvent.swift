import Foundation

/// What a provider tells of a payment.
struct ProviderEvent: Sendable, Codable {
  enum Kind: String, Sendable, Codable {
    case succeeded, declined, pending, refunded
  }

  /// The same for every repetition.
  let eventID: String
  let type: Kind
  let paymentID: String
  let orderID: String

  enum CodingKeys: String, CodingKey {
    case type
    case eventID = "event_id"
    case paymentID = "payment_id"
    case orderID = "order_id"
  }
}
