import Foundation
import StoreBase

/// Why a call of Stripe's API did not do what was asked.
struct StripeError: RetryAfterError, Sendable, CustomStringConvertible {
  /// The kinds, by the answer's status.
  enum Kind: String, Sendable {
    /// 400, 404: the call is wrong, or what it names is not there.
    case invalidRequest = "invalid_request"
    /// 400: the idempotency key was used with other parameters.
    case idempotency
    /// 401: the key is not Stripe's.
    case authentication
    /// 402: the card was declined, or its buyer must agree.
    case card
    /// 403: the key may not do that.
    case permission
    /// 409: a call with the same idempotency key is under way, or the object is being changed.
    case conflict
    /// 429: too many calls.
    case rateLimit = "rate_limit"
    /// 5xx: Stripe failed. Whether it did what was asked is not known.
    case api
    /// There was no answer. Whether Stripe did what was asked is not known.
    case noAnswer = "no_answer"
    /// An answer that is not Stripe's: a proxy's, or one of another version.
    case unreadable
  }

  let kind: Kind
  var status: UInt?
  var details = StripeErrorDetails()
  /// What was wrong, for kinds without an answer of Stripe's.
  var reason: String?
  var requestID: String?
  /// When Stripe wants to be called again. A 429 without the header asks for a second.
  var retryAfter: Duration?
  /// Whether it is the kept answer to an earlier call: the same call will never have another one.
  var isReplayed = false

  static func noAnswer(_ reason: String) -> StripeError { StripeError(kind: .noAnswer, reason: reason) }

  /// The error of an answer that is no success.
  init(_ answer: StripeAnswer) {
    let body = try? StripeJSON.decode(StripeErrorBody.self, from: answer.body)
    details = body?.error ?? StripeErrorDetails()
    kind = body == nil && answer.status < 500 ? .unreadable : Self.kind(status: answer.status, details: details)
    status = answer.status
    requestID = answer.requestID
    retryAfter = answer.retryAfter ?? (kind == .rateLimit ? .seconds(1) : nil)
    isReplayed = answer.isReplayed
  }

  init(kind: Kind, reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// For logs: never a key, never what the buyer wrote.
  var description: String {
    let parts: [String?] = [
      "stripe", kind.rawValue, status.map { "status=\($0)" }, details.code.map { "code=\($0)" },
      details.declineCode.map { "decline_code=\($0)" }, details.param.map { "param=\($0)" },
      requestID.map { "request=\($0)" }, reason.map { "(\($0))" },
    ]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  private static func kind(status: UInt, details: StripeErrorDetails) -> Kind {
    switch status {
    case 400 where details.code == "rate_limit": .rateLimit
    case 400, 404: details.type == "idempotency_error" ? .idempotency : .invalidRequest
    case 401: .authentication
    case 402: .card
    case 403: .permission
    case 409: .conflict
    case 429: .rateLimit
    case 500...: .api
    default: .unreadable
    }
  }
}

/// What Stripe says of an error.
struct StripeErrorDetails: Decodable, Sendable {
  var type: String?
  var code: String?
  /// Why the card's bank declined.
  var declineCode: String?
  /// What to do about it, when the bank says: `do_not_try_again`, `try_again_later`, `confirm_card_data`.
  var adviceCode: String?
  var message: String?
  var param: String?
  /// The payment that the error is about: it can go on, with its buyer or with another method.
  var paymentIntent: StripePaymentIntent?
  /// The setup that it is about, in the same way.
  var setupIntent: StripeSetupIntent?
}

/// The body of an answer that is an error.
private struct StripeErrorBody: Decodable {
  let error: StripeErrorDetails
}
