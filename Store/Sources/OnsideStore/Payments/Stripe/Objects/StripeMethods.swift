import Foundation

/// A customer: whom saved methods belong to.
struct StripeCustomer: StripeObject {
  let id: String
  var deleted: Bool?
  var metadata: [String: String]?

  var isDeleted: Bool { deleted == true }
}

/// A payment method.
struct StripePaymentMethod: StripeObject {
  /// What is shown of a card, and where it is from.
  struct Card: Decodable, Sendable, Hashable {
    let brand: String
    let last4: String
    let expMonth: Int
    let expYear: Int
    /// The country of the card's bank, ISO 3166, two letters.
    var country: String?
    /// The same for every method of the same card.
    var fingerprint: String?
  }

  let id: String
  /// `card`, or another kind.
  let type: String
  var card: Card?
  /// Whom it is saved for; nil once it is detached.
  var customer: StripeReference?
}

/// A saved method in the making.
struct StripeSetupIntent: StripeObject {
  struct Status: StripeNamed {
    let rawValue: String

    static let succeeded = Status(rawValue: "succeeded")
    static let canceled = Status(rawValue: "canceled")
    static let processing = Status(rawValue: "processing")
    static let requiresAction = Status(rawValue: "requires_action")
    static let requiresConfirmation = Status(rawValue: "requires_confirmation")
    static let requiresPaymentMethod = Status(rawValue: "requires_payment_method")
  }

  let id: String
  let status: Status
  /// With it a page may go on with this one object.
  var clientSecret: String?
  var customer: StripeReference?
  var paymentMethod: StripeReference?
  var lastSetupError: StripeDecline?
  var metadata: [String: String]?
}
