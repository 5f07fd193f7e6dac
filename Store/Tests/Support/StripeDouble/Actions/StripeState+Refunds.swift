import Foundation

extension StripeState {
  mutating func refund(_ request: StripeRequest) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("POST", 1): return try createRefund(form)
    case ("GET", 1):
      try form.allow(Self.listParameters.union(["payment_intent", "charge"]))
      let (payment, charge) = (try form.text("payment_intent"), try form.text("charge"))
      let created = try form.range("created")
      let matching = refunds.newest.filter {
        (payment == nil || $0.payment == payment) && (charge == nil || $0.charge == charge)
          && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "refunds", id: \.id, json: \.json)
    case ("GET", 2):
      guard let refund = refunds[path[1]] else { throw .missing("refund", id: path[1]) }
      return refund.json
    default: throw unknown(request)
    }
  }

  private mutating func createRefund(_ form: Form) throws(Refusal) -> JSON {
    try form.allow(["payment_intent", "charge", "amount", "reason", "metadata"])
    let reason = try form.text("reason")
    if let reason, !["duplicate", "fraudulent", "requested_by_customer"].contains(reason) {
      throw .invalid("Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer", param: "reason")
    }
    let charge = try refundableCharge(form)
    let amount = try form.number("amount") ?? charge.amount - charge.refunded
    try requireRefundable(charge, amount: amount)
    return makeRefund(of: charge, amount: amount, reason: reason, metadata: try form.texts("metadata")).json
  }

  /// Refuses an amount that is not left of a charge, and what its bank has taken.
  func requireRefundable(_ charge: Charge, amount: Int64) throws(Refusal) {
    let left = charge.amount - charge.refunded
    guard left > 0 else {
      throw .invalid("Charge \(charge.id) has already been refunded.", code: "charge_already_refunded")
    }
    if let dispute = charge.dispute.flatMap({ disputes[$0] }), !dispute.isInquiry, dispute.status != "won" {
      throw .invalid("Charge \(charge.id) has been charged back; cannot issue a refund.", code: "charge_disputed")
    }
    guard amount > 0 else {
      throw .invalid("Invalid positive integer", code: "parameter_invalid_integer", param: "amount")
    }
    guard amount <= left else {
      throw .invalid(
        "Refund amount (\(amount)) is greater than unrefunded amount on charge (\(left))", param: "amount")
    }
  }

  private func refundableCharge(_ form: Form) throws(Refusal) -> Charge {
    if let id = try form.text("charge") {
      guard let charge = charges[id] else { throw .missing("charge", id: id, param: "charge") }
      guard charge.status == "succeeded" else {
        throw .invalid("Charge \(id) has not succeeded.", code: "charge_not_refundable")
      }
      return charge
    }
    let id = try form.required("payment_intent")
    guard let payment = payments[id] else { throw .missing("payment_intent", id: id, param: "payment_intent") }
    guard payment.status == "succeeded", let charge = payment.latestCharge.flatMap({ charges[$0] }) else {
      throw .invalid("This PaymentIntent (\(id)) does not have a successful charge to refund.")
    }
    return charge
  }

  /// Gives money back, also by hand in the dashboard.
  @discardableResult
  mutating func makeRefund(of charge: Charge, amount: Int64, reason: String?, metadata: [String: String]) -> Refund {
    let refunding = methods[charge.method]?.card.refunding ?? .atOnce
    var refund = Refund(
      id: id("re"), created: now, charge: charge.id, payment: charge.payment, amount: amount,
      currency: charge.currency, reason: reason, metadata: metadata,
      status: refunding == .later ? "pending" : "succeeded")
    refund.transaction = book(-amount, fee: 0, charge.currency, type: "refund", source: refund.id)
    refunds[refund.id] = refund
    var charge = charge
    charge.refunded += amount
    charges[charge.id] = charge
    tell("refund.created", of: refund.json)
    tell("charge.refunded", of: charge.json(isLive: isLive))
    return refund
  }

  /// Ends a refund. One that has succeeded may fail, too: then the money is the store's again.
  mutating func end(refund id: String, failure: String?) throws(Refusal) {
    guard var refund = refunds[id], ["pending", "succeeded"].contains(refund.status),
      var charge = charges[refund.charge]
    else { throw .missing("refund that can change", id: id) }
    if let failure {
      refund.status = "failed"
      refund.failureReason = failure
      refund.failureTransaction = book(
        refund.amount, fee: 0, refund.currency, type: "refund_failure", source: refund.id)
      charge.refunded -= refund.amount
      charges[charge.id] = charge
    } else {
      refund.status = "succeeded"
    }
    refunds[id] = refund
    tell("refund.updated", of: refund.json)
    tell("charge.refund.updated", of: refund.json)
    if failure != nil { tell("refund.failed", of: refund.json) }
  }
}
