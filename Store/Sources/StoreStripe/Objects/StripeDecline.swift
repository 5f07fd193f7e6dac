/// Why a try to charge or to save a method failed.
struct StripeDecline: Decodable, Sendable, Hashable {
  /// What to do after a decline.
  enum Consequence: String, Sendable {
    /// The method will not pay again: another is needed.
    case stop
    /// The same method may pay later.
    case later
    /// The buyer has to do something with this method: agree at the bank, correct what was entered.
    case askBuyer = "ask_buyer"
  }

  var code: String?
  var declineCode: String?
  var adviceCode: String?

  init(code: String? = nil, declineCode: String? = nil, adviceCode: String? = nil) {
    self.code = code
    self.declineCode = declineCode
    self.adviceCode = adviceCode
  }

  /// The decline that an error tells of; nil when the card was not the reason.
  init?(_ error: StripeError) {
    let details = error.details
    let isAboutMethod = Self.finalMessages.contains { details.message?.contains($0) == true }
    guard error.kind == .card || error.kind == .invalidRequest && (isAboutMethod || details.isMissingParty) else {
      return nil
    }
    self.init(
      code: details.code, declineCode: error.kind == .card ? details.declineCode : "method_unusable",
      adviceCode: details.adviceCode)
  }

  /// What to do. What the bank needs of the buyer goes first, then a code that is final, then the bank's advice.
  var consequence: Consequence {
    let codes = [declineCode, code].compactMap { $0 }
    if codes.contains(where: Self.asking.contains) { return .askBuyer }
    if codes.contains(where: Self.final.contains) { return .stop }
    switch adviceCode {
    case "do_not_try_again": return .stop
    case "confirm_card_data": return .askBuyer
    default: return .later
    }
  }

  private static let asking: Set<String> = [
    "authentication_required", "authentication_not_handled", "offline_pin_required", "online_or_offline_pin_required",
    "payment_intent_authentication_failure", "setup_intent_authentication_failure", "incorrect_cvc", "invalid_cvc",
    "incorrect_zip", "invalid_expiry_month", "invalid_expiry_year", "mobile_device_authentication_required",
  ]
  private static let final: Set<String> = [
    "lost_card", "stolen_card", "pickup_card", "restricted_card", "expired_card", "incorrect_number", "invalid_number",
    "invalid_account", "revocation_of_authorization", "revocation_of_all_authorizations", "stop_payment_order",
    "fraudulent", "merchant_blacklist", "card_not_supported", "currency_not_supported",
    "new_account_information_available",
    "service_not_allowed", "transaction_not_allowed", "not_permitted", "no_action_taken", "security_violation",
    "account_closed", "method_unusable",
  ]
  /// What Stripe writes about a method that can no longer be charged; it has no code for it.
  private static let finalMessages = [
    "requires a mandate", "detached from a Customer", "detached from a customer", "does not belong to the",
  ]
}

extension StripeErrorDetails {
  /// Whether the customer or the method is gone.
  fileprivate var isMissingParty: Bool {
    code == "resource_missing" && (param == "customer" || param == "payment_method")
  }
}
