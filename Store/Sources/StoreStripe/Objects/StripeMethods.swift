import Foundation

/// A customer: whom saved methods belong to.
struct StripeCustomer: StripeObject {
  let id: String
  var deleted: Bool?

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
  }

  let id: String
  /// Nil for another kind of method.
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
    static let requiresAction = Status(rawValue: "requires_action")
    static let requiresConfirmation = Status(rawValue: "requires_confirmation")
    /// No try has been made, or the last was declined.
    static let requiresPaymentMethod = Status(rawValue: "requires_payment_method")
  }

  let id: String
  let status: Status
  /// With it a page may go on with this one object.
  var clientSecret: String?
  var paymentMethod: StripeReference?
  var lastSetupError: StripeDecline?
  var metadata: [String: String]?
}
