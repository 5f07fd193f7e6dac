import Foundation

/// Money that goes back to a buyer.
struct Refund: Sendable {
  let id: String
  let created: Date
  let charge: String
  let payment: String
  let amount: Int64
  let currency: String
  let reason: String?
  let metadata: [String: String]
  var status: String
  var failureReason: String?
  var transaction: String?
  var failureTransaction: String?

  var json: JSON {
    var members: [String: JSON] = [
      "id": .text(id), "object": "refund", "created": .time(created), "charge": .text(charge),
      "payment_intent": .text(payment), "amount": .number(amount), "currency": .text(currency),
      "reason": .optional(reason), "metadata": .texts(metadata), "status": .text(status),
      "balance_transaction": .optional(transaction),
    ]
    if let failureReason { members["failure_reason"] = .text(failureReason) }
    if let failureTransaction { members["failure_balance_transaction"] = .text(failureTransaction) }
    return .object(members)
  }
}

/// A buyer's objection at the bank.
struct Dispute: Sendable {
  let id: String
  let created: Date
  let charge: String
  let payment: String
  let amount: Int64
  let currency: String
  let reason: String
  var status: String
  var transactions: [String] = []
  var evidence: [String: String] = [:]
  var hasEvidence = false

  /// Whether the bank has its money.
  var hasMoney: Bool { !isInquiry && status != "won" }
  var isInquiry: Bool { status.hasPrefix("warning_") }
  var isOpen: Bool { !["won", "lost", "prevented", "warning_closed"].contains(status) }

  func json(_ transactions: [JSON], isLive: Bool) -> JSON {
    [
      "id": .text(id), "object": "dispute", "created": .time(created), "charge": .text(charge),
      "payment_intent": .text(payment), "amount": .number(amount), "currency": .text(currency),
      "reason": .text(reason), "status": .text(status), "balance_transactions": .list(transactions),
      "is_charge_refundable": .bool(isInquiry && isOpen), "livemode": .bool(isLive), "metadata": [:],
      "evidence": .object(evidence.mapValues { .text($0) }.merging(["enhanced_evidence": [:]]) { $1 }),
      "enhanced_eligibility_types": [],
      "evidence_details": [
        "due_by": .number(created.stripeTime + 7 * 86_400), "has_evidence": .bool(hasEvidence), "past_due": false,
        "submission_count": .number(hasEvidence ? 1 : 0), "enhanced_eligibility": [:],
        "submission_method": hasEvidence ? "manual" : "not_submitted",
      ],
    ]
  }
}

/// A bank's word that a charge is probably a fraud.
struct EarlyFraudWarning: Sendable {
  let id: String
  let created: Date
  let charge: String
  let payment: String
  let isActionable: Bool

  func json(isLive: Bool) -> JSON {
    [
      "id": .text(id), "object": "radar.early_fraud_warning", "created": .time(created), "charge": .text(charge),
      "payment_intent": .text(payment), "actionable": .bool(isActionable), "fraud_type": "made_with_stolen_card",
      "livemode": .bool(isLive),
    ]
  }
}
