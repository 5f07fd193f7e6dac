/// Why the double does not do what was asked: an error of Stripe's API.
struct Refusal: Error, Sendable {
  var status = 400
  var type = "invalid_request_error"
  var code: String?
  var declineCode: String?
  var adviceCode: String?
  var message: String
  var param: String?
  /// The id of the charge that failed.
  var charge: String?
  /// Objects that the error is about, by their names in it.
  var objects: [String: JSON] = [:]

  static func invalid(_ message: String, code: String? = nil, param: String? = nil) -> Refusal {
    Refusal(code: code, message: message, param: param)
  }

  static func missing(_ kind: String, id: String, param: String = "id", status: Int = 404) -> Refusal {
    Refusal(status: status, code: "resource_missing", message: "No such \(kind): '\(id)'", param: param)
  }

  static func unauthorized(_ message: String) -> Refusal { Refusal(status: 401, message: message) }

  static func card(_ decline: Decline) -> Refusal {
    Refusal(
      status: 402, type: "card_error", code: decline.code, declineCode: decline.declineCode,
      adviceCode: decline.adviceCode, message: decline.message)
  }

  /// Whether the answer is kept under the idempotency key: execution had begun.
  var isKept: Bool { status == 402 || status >= 500 }

  /// The error of an answer, and of an object's last error.
  var json: JSON {
    var members: [String: JSON] = ["type": .text(type), "message": .text(message)]
    members["code"] = code.map { .text($0) }
    members["decline_code"] = declineCode.map { .text($0) }
    members["advice_code"] = adviceCode.map { .text($0) }
    members["param"] = param.map { .text($0) }
    members["charge"] = charge.map { .text($0) }
    if let code { members["doc_url"] = .text("https://stripe.com/docs/error-codes/\(code.replacing("_", with: "-"))") }
    return .object(members.merging(objects) { $1 })
  }
}

/// Why a bank declines.
public struct Decline: Sendable, Hashable {
  /// `card_declined`, `expired_card`, `authentication_required`, ...
  public var code: String
  /// The bank's reason.
  public var declineCode: String?
  /// What the bank advises: `do_not_try_again`, `try_again_later`, `confirm_card_data`.
  public var adviceCode: String?

  /// A decline; the code of most is `card_declined`.
  public init(_ declineCode: String?, code: String = "card_declined", adviceCode: String? = nil) {
    self.code = code
    self.declineCode = declineCode
    self.adviceCode = adviceCode
  }

  /// The card's bank wants its holder to agree.
  public static let authenticationRequired = Decline("authentication_required", code: "authentication_required")

  var message: String {
    switch code {
    case "authentication_required": "Your card was declined. This transaction requires authentication."
    case "expired_card": "Your card has expired."
    case "incorrect_cvc": "Your card's security code is incorrect."
    case "processing_error": "An error occurred while processing your card. Try again in a little bit."
    default: declineCode == "insufficient_funds" ? "Your card has insufficient funds." : "Your card was declined."
    }
  }
}
