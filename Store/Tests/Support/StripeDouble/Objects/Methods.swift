import Foundation

/// A customer.
struct Customer: Sendable {
  let id: String
  let created: Date
  var email: String?
  var name: String?
  var metadata: [String: String]
  var isDeleted = false

  func json(isLive: Bool) -> JSON {
    guard !isDeleted else { return ["id": .text(id), "object": "customer", "deleted": true] }
    return [
      "id": .text(id), "object": "customer", "created": .time(created), "email": .optional(email),
      "name": .optional(name), "metadata": .texts(metadata), "livemode": .bool(isLive), "balance": 0,
      "delinquent": false, "default_source": nil, "invoice_prefix": nil, "shipping": nil,
    ]
  }
}

/// A payment method: a card or a bank account.
struct PaymentMethod: Sendable {
  let id: String
  let created: Date
  let card: TestCard
  /// A direct debit, which settles days later; else a card.
  var isDirectDebit = false
  var lastFour: String
  var expMonth: Int
  var expYear: Int
  var customer: String?
  /// Once true it can never be used again.
  var wasDetached = false
  /// Whether its holder agreed to payments without the buyer.
  var isSetUp = false
  /// Whether the bank knows the card's new number or date: what made it decline is over.
  var isRenewed = false
  /// What the next charges are declined with.
  var nextDeclines: [Decline] = []
  /// Whether the next charge without the buyer answers 200 with `requires_action`, and not 402.
  var asksWithoutError = false

  var type: String { isDirectDebit ? "sepa_debit" : "card" }

  func json(isLive: Bool) -> JSON {
    var members: [String: JSON] = [
      "id": .text(id), "object": "payment_method", "created": .time(created), "customer": .optional(customer),
      "type": .text(type), "livemode": .bool(isLive), "metadata": [:],
      "billing_details": ["address": nil, "email": nil, "name": nil, "phone": nil, "tax_id": nil],
    ]
    if isDirectDebit {
      members["sepa_debit"] = [
        "last4": .text(lastFour), "country": .text(card.country), "bank_code": nil, "branch_code": nil,
        "fingerprint": .text("fp\(card.number)"), "generated_from": nil,
      ]
    } else {
      members["card"] = cardJSON
    }
    return .object(members)
  }

  private var cardJSON: JSON {
    [
      "brand": .text(card.brand), "last4": .text(lastFour), "exp_month": .number(Int64(expMonth)),
      "exp_year": .number(Int64(expYear)), "country": .text(card.country), "funding": "credit",
      "fingerprint": .text("fp\(card.number)"), "checks": nil, "generated_from": nil, "networks": nil,
      "three_d_secure_usage": nil, "wallet": nil,
    ]
  }
}

/// A method that is being saved.
struct SetupIntent: Sendable {
  let id: String
  let created: Date
  let clientSecret: String
  let customer: String?
  let usage: String
  var status = "requires_payment_method"
  var method: String?
  var metadata: [String: String]
  var lastError: JSON?

  func json(isLive: Bool) -> JSON {
    [
      "id": .text(id), "object": "setup_intent", "created": .time(created), "client_secret": .text(clientSecret),
      "customer": .optional(customer), "usage": .text(usage), "status": .text(status),
      "payment_method": .optional(method), "payment_method_types": ["card"], "metadata": .texts(metadata),
      "last_setup_error": lastError ?? .null, "livemode": .bool(isLive), "cancellation_reason": nil,
      "next_action": status == "requires_action" ? ["type": "use_stripe_sdk", "use_stripe_sdk": [:]] : nil,
    ]
  }
}
