/// Money that goes back to a buyer, whole or in part.
struct StripeRefund: StripeObject {
  struct Status: StripeNamed {
    let rawValue: String

    static let pending = Status(rawValue: "pending")
    static let requiresAction = Status(rawValue: "requires_action")
    static let succeeded = Status(rawValue: "succeeded")
    /// Also after it succeeded: the bank sent the money back.
    static let failed = Status(rawValue: "failed")
    static let canceled = Status(rawValue: "canceled")
  }

  /// The reasons that a caller may give.
  enum Reason: String, Sendable {
    case duplicate, fraudulent
    case requestedByCustomer = "requested_by_customer"
  }

  let id: String
  let amount: Int64
  let currency: String
  let created: Int64
  var status: Status?
  var failureReason: String?
  var paymentIntent: StripeReference?
  var charge: StripeReference?
  var balanceTransaction: StripeReference?
  var metadata: [String: String]?
}

/// A buyer's objection at the bank.
struct StripeDispute: StripeObject {
  struct Status: StripeNamed {
    let rawValue: String

    static let needsResponse = Status(rawValue: "needs_response")
    static let underReview = Status(rawValue: "under_review")
    static let won = Status(rawValue: "won")
    static let lost = Status(rawValue: "lost")
    static let prevented = Status(rawValue: "prevented")
    static let warningNeedsResponse = Status(rawValue: "warning_needs_response")
    static let warningUnderReview = Status(rawValue: "warning_under_review")
    static let warningClosed = Status(rawValue: "warning_closed")

    /// Whether it is a question of the bank, which moves no money.
    var isInquiry: Bool { rawValue.hasPrefix("warning_") }
    /// Whether nothing will change any more.
    var isFinal: Bool { [.won, .lost, .prevented, .warningClosed].contains(self) }
  }

  /// Until when, in seconds since 1970, evidence may be sent.
  struct EvidenceDetails: Decodable, Sendable { var dueBy: Int64? }

  let id: String
  let amount: Int64
  let currency: String
  let created: Int64
  let status: Status
  let reason: String
  var charge: StripeReference?
  var paymentIntent: StripeReference?
  var isChargeRefundable: Bool?
  /// The withdrawal, and the return of the money when the dispute was won.
  var balanceTransactions: [StripeBalanceTransaction]?
  var evidenceDetails: EvidenceDetails?
}

/// A bank's word that a charge is probably a fraud: often a dispute follows.
struct StripeEarlyFraudWarning: StripeObject {
  let id: String
  let charge: StripeReference
  var paymentIntent: StripeReference?
  /// Whether the charge can still be refunded before it is disputed.
  var actionable: Bool?
  let fraudType: String
}
