import Foundation

extension StripeState {
  /// What the bank of the buyer takes for a dispute.
  static let disputeFee: Int64 = 2000

  mutating func dispute(_ request: StripeRequest) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("GET", 1):
      try form.allow(Self.listParameters.union(["payment_intent", "charge"]))
      let (payment, charge) = (try form.text("payment_intent"), try form.text("charge"))
      let created = try form.range("created")
      let matching = disputes.newest.filter {
        (payment == nil || $0.payment == payment) && (charge == nil || $0.charge == charge)
          && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "disputes", id: \.id, json: json)
    case ("GET", 2): return json(try known(dispute: path[1]))
    case ("POST", 2): return try answer(try known(dispute: path[1]), form: form)
    case ("POST", 3) where path[2] == "close":
      try form.allow([])
      let dispute = try known(dispute: path[1])
      guard dispute.status == "needs_response" else { throw .invalid("This dispute is already closed.") }
      return json(close(dispute, as: "lost"))
    default: throw unknown(request)
    }
  }

  private func known(dispute id: String) throws(Refusal) -> Dispute {
    guard let dispute = disputes[id] else { throw .missing("dispute", id: id) }
    return dispute
  }

  /// Takes evidence.
  private mutating func answer(_ dispute: Dispute, form: Form) throws(Refusal) -> JSON {
    try form.allow(["evidence", "submit", "metadata"])
    guard dispute.isOpen else { throw .invalid("This dispute is already closed.") }
    var dispute = dispute
    dispute.evidence.merge(try form.texts("evidence")) { $1 }
    dispute.hasEvidence = true
    if try form.bool("submit") ?? true {
      dispute.status = dispute.isInquiry ? "warning_under_review" : "under_review"
    }
    disputes[dispute.id] = dispute
    tell("charge.dispute.updated", of: json(dispute))
    return json(dispute)
  }

  /// Opens a dispute and takes the money, or with an inquiry asks only.
  mutating func openDispute(_ charge: Charge, reason: String, isInquiry: Bool) -> Dispute {
    var dispute = Dispute(
      id: id("du"), created: now, charge: charge.id, payment: charge.payment, amount: charge.amount - charge.refunded,
      currency: charge.currency, reason: reason, status: isInquiry ? "warning_needs_response" : "needs_response")
    var charge = charge
    charge.dispute = dispute.id
    charges[charge.id] = charge
    if !isInquiry { dispute.transactions = [withdraw(dispute)] }
    disputes[dispute.id] = dispute
    tell("charge.dispute.created", of: json(dispute))
    if !isInquiry { tell("charge.dispute.funds_withdrawn", of: json(dispute)) }
    return dispute
  }

  private mutating func withdraw(_ dispute: Dispute) -> String {
    book(
      -dispute.amount, fee: Self.disputeFee, dispute.currency, type: "adjustment", category: "dispute",
      source: dispute.id)
  }

  /// Makes a dispute of an inquiry.
  mutating func escalate(dispute id: String) throws(Refusal) {
    var dispute = try known(dispute: id)
    guard dispute.isInquiry, dispute.isOpen else { throw .invalid("This dispute is no open inquiry.") }
    dispute.status = "needs_response"
    dispute.transactions = [withdraw(dispute)]
    disputes[id] = dispute
    tell("charge.dispute.updated", of: json(dispute))
    tell("charge.dispute.funds_withdrawn", of: json(dispute))
  }

  /// Ends a dispute; the money of one that was won comes back with its fee.
  @discardableResult
  mutating func close(_ dispute: Dispute, as status: String) -> Dispute {
    var dispute = dispute
    dispute.status = status
    if status == "won" {
      dispute.transactions.append(
        book(
          dispute.amount, fee: -Self.disputeFee, dispute.currency, type: "adjustment", category: "dispute_reversal",
          source: dispute.id))
    }
    disputes[dispute.id] = dispute
    tell("charge.dispute.closed", of: json(dispute))
    if status == "won" { tell("charge.dispute.funds_reinstated", of: json(dispute)) }
    return dispute
  }

  func json(_ dispute: Dispute) -> JSON {
    dispute.json(dispute.transactions.compactMap { transactions[$0]?.json }, isLive: isLive)
  }

  mutating func warnOfFraud(_ charge: Charge) {
    let warning = EarlyFraudWarning(
      id: id("issfr"), created: now, charge: charge.id, payment: charge.payment,
      isActionable: charge.dispute == nil && charge.refunded < charge.amount)
    warnings[warning.id] = warning
    tell("radar.early_fraud_warning.created", of: warning.json(isLive: isLive))
  }

  mutating func warning(_ path: [String], form: Form) throws(Refusal) -> JSON {
    guard path[1] == "early_fraud_warnings", path.count <= 3 else { throw .missing("resource", id: path[1]) }
    if path.count == 2 {
      try form.allow(Self.listParameters.union(["payment_intent", "charge"]))
      let (payment, charge) = (try form.text("payment_intent"), try form.text("charge"))
      let matching = warnings.newest.filter {
        (payment == nil || $0.payment == payment) && (charge == nil || $0.charge == charge)
      }
      return try list(matching, form: form, url: "radar/early_fraud_warnings", id: \.id) { $0.json(isLive: isLive) }
    }
    guard let warning = warnings[path[2]] else { throw .missing("early_fraud_warning", id: path[2]) }
    return warning.json(isLive: isLive)
  }
}
