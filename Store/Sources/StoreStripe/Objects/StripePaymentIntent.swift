import Foundation

/// A payment, from the first try to the last.
struct StripePaymentIntent: StripeObject {
  struct Status: StripeNamed {
    let rawValue: String

    static let succeeded = Status(rawValue: "succeeded")
    static let canceled = Status(rawValue: "canceled")
    /// The bank has it, and says later.
    static let processing = Status(rawValue: "processing")
    /// The buyer must agree first.
    static let requiresAction = Status(rawValue: "requires_action")
    static let requiresCapture = Status(rawValue: "requires_capture")
    static let requiresConfirmation = Status(rawValue: "requires_confirmation")
    /// No try has been made, or the last was declined.
    static let requiresPaymentMethod = Status(rawValue: "requires_payment_method")
  }

  let id: String
  let amount: Int64
  /// Lower case.
  let currency: String
  let status: Status
  /// With it a page may go on with this one payment.
  var clientSecret: String?
  var paymentMethod: StripeExpandable<StripePaymentMethod>?
  /// The last try.
  var latestCharge: StripeReference?
  var lastPaymentError: StripeDecline?
  var metadata: [String: String]?
}

/// One try of a payment to get the money.
struct StripeCharge: StripeObject {
  let id: String
  let amountRefunded: Int64
}
