/// Money that goes back to a buyer, whole or in part.
struct StripeRefund: StripeObject {
  struct Status: StripeNamed {
    let rawValue: String

    static let pending = Status(rawValue: "pending")
    static let succeeded = Status(rawValue: "succeeded")
    /// Also after it succeeded: the bank sent the money back.
    static let failed = Status(rawValue: "failed")
    static let canceled = Status(rawValue: "canceled")
  }

  let id: String
  let amount: Int64
  let currency: String
  var status: Status?
  var failureReason: String?
  var paymentIntent: StripeReference?
  var metadata: [String: String]?
}

/// A buyer's objection at the bank.
struct StripeDispute: StripeObject {
  struct Status: StripeNamed {
    let rawValue: String

    static let won = Status(rawValue: "won")
    static let lost = Status(rawValue: "lost")
    static let prevented = Status(rawValue: "prevented")
    /// A question of the bank, which moved no money, was closed.
    static let warningClosed = Status(rawValue: "warning_closed")
    static let needsResponse = Status(rawValue: "needs_response")
    static let warningNeedsResponse = Status(rawValue: "warning_needs_response")
  }

  /// Until when, in seconds since 1970, evidence may be sent.
  struct EvidenceDetails: Decodable, Sendable { var dueBy: Int64? }

  let id: String
  let amount: Int64
  let currency: String
  let status: Status
  let reason: String
  var paymentIntent: StripeReference?
  /// The withdrawal, and the return of the money when the dispute was won.
  var balanceTransactions: [StripeBalanceTransaction]?
  var evidenceDetails: EvidenceDetails?
}

/// A bank's word that a charge is probably a fraud: often a dispute follows.
struct StripeEarlyFraudWarning: StripeObject {
  let id: String
  var paymentIntent: StripeReference?
}
