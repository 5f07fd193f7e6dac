import Foundation

/// How a payment is charged.
struct ChargeTerms: Sendable {
  /// Whether the buyer is away.
  var isOffSession = false
  /// Whether a payment that needs its buyer is refused.
  var refusesAction = false

  init(_ form: Form) throws(Refusal) {
    // `recurring` and `one_off` are older ways to say true.
    isOffSession = try form.text("off_session").map { $0 != "false" } ?? false
    refusesAction = try form.bool("error_on_requires_action") ?? false
  }
}

extension StripeState {
  /// Tries to get a payment's money.
  mutating func charge(
    _ payment: PaymentIntent, with method: PaymentMethod, terms: ChargeTerms
  ) throws(Refusal) -> JSON {
    var (payment, method) = (payment, method)
    payment.method = method.id
    payment.lastError = nil
    if !method.nextDeclines.isEmpty {
      let decline = method.nextDeclines.removeFirst()
      methods[method.id] = method
      throw fail(payment, with: decline)
    }
    if needsAuthentication(method, terms: terms) {
      let asks = method.asksWithoutError || !terms.isOffSession
      method.asksWithoutError = false
      methods[method.id] = method
      guard asks, !terms.refusesAction else { throw fail(payment, with: .authenticationRequired) }
      payment.status = "requires_action"
      payments[payment.id] = payment
      tell("payment_intent.requires_action", of: payment.json(isLive: isLive))
      return payment.json(isLive: isLive)
    }
    return try charge(payment, with: method)
  }

  private func needsAuthentication(_ method: PaymentMethod, terms: ChargeTerms) -> Bool {
    if method.asksWithoutError { return true }
    switch method.card.authentication {
    case .never: return false
    case .always: return true
    case .untilSetUp: return !(method.isSetUp && terms.isOffSession)
    }
  }

  /// Goes on when the buyer has agreed at the bank, or has not.
  mutating func authenticate(payment id: String, agrees: Bool) throws(Refusal) {
    guard let payment = payments[id], payment.status == "requires_action",
      let method = payment.method.flatMap({ methods[$0] })
    else { throw .missing("payment_intent that waits for its buyer", id: id) }
    guard agrees else {
      let decline = Decline(nil, code: "payment_intent_authentication_failure")
      _ = fail(payment, with: decline)
      return
    }
    do throws(Refusal) { _ = try charge(payment, with: method) } catch  where error.status == 402 {}
  }

  /// Charges a method that needs no more of its holder.
  private mutating func charge(_ payment: PaymentIntent, with method: PaymentMethod) throws(Refusal) -> JSON {
    if let decline = method.card.chargeDecline, !method.isRenewed { throw fail(payment, with: decline) }
    if payment.savesMethod, let customer = payment.customer {
      var method = try attach(method, to: customer)
      method.isSetUp = true
      methods[method.id] = method
    }
    var payment = payment
    let charge = makeCharge(payment, with: method, status: method.isDirectDebit ? "pending" : "succeeded")
    payment.latestCharge = charge.id
    guard method.isDirectDebit else { return succeed(payment, charge: charge) }
    payment.status = "processing"
    payments[payment.id] = payment
    tell("charge.pending", of: charge.json(isLive: isLive))
    tell("payment_intent.processing", of: payment.json(isLive: isLive))
    return payment.json(isLive: isLive)
  }

  private mutating func makeCharge(
    _ payment: PaymentIntent, with method: PaymentMethod, status: String, decline: Decline? = nil
  ) -> Charge {
    let charge = Charge(
      id: id("ch"), created: now, payment: payment.id, amount: payment.amount, currency: payment.currency,
      customer: payment.customer, method: method.id, metadata: payment.metadata, status: status, decline: decline)
    charges[charge.id] = charge
    return charge
  }

  private mutating func succeed(_ payment: PaymentIntent, charge: Charge) -> JSON {
    var (payment, charge) = (payment, charge)
    charge.status = "succeeded"
    // Stripe's price for European cards: 1.5 % and 25.
    let fee = (charge.amount * 15 + 500) / 1000 + 25
    charge.transaction = book(charge.amount, fee: fee, charge.currency, type: "charge", source: charge.id)
    charges[charge.id] = charge
    payment.status = "succeeded"
    payment.received = payment.amount
    payments[payment.id] = payment
    tell("charge.succeeded", of: charge.json(isLive: isLive))
    tell("payment_intent.succeeded", of: payment.json(isLive: isLive))
    let json = payment.json(isLive: isLive)
    follow(charge)
    return json
  }

  /// What a test card brings about after its charge.
  private mutating func follow(_ charge: Charge) {
    guard let card = methods[charge.method]?.card else { return }
    if card.warnsOfFraud { warnOfFraud(charge) }
    if let reason = card.dispute { _ = openDispute(charge, reason: reason, isInquiry: card.isInquiry) }
  }

  /// Writes down a decline; the error tells of it.
  private mutating func fail(_ payment: PaymentIntent, with decline: Decline) -> Refusal {
    var payment = payment
    var refusal = Refusal.card(decline)
    if let method = payment.method.flatMap({ methods[$0] }) {
      let charge = makeCharge(payment, with: method, status: "failed", decline: decline)
      payment.latestCharge = charge.id
      refusal.charge = charge.id
      refusal.objects["payment_method"] = method.json(isLive: isLive)
      tell("charge.failed", of: charge.json(isLive: isLive))
    }
    payment.status = "requires_payment_method"
    payment.method = nil
    payment.lastError = refusal.json
    payments[payment.id] = payment
    tell("payment_intent.payment_failed", of: payment.json(isLive: isLive))
    refusal.objects["payment_intent"] = payment.json(isLive: isLive)
    return refusal
  }

  /// Ends a payment that the bank took its time for; a direct debit may also fail days after it succeeded.
  mutating func settle(payment id: String, succeeds: Bool) throws(Refusal) {
    guard var payment = payments[id], payment.status == "processing",
      let charge = payment.latestCharge.flatMap({ charges[$0] })
    else { throw .missing("payment_intent that is processing", id: id) }
    if succeeds {
      _ = succeed(payment, charge: charge)
      return
    }
    var failed = charge
    failed.status = "failed"
    failed.decline = Decline("insufficient_funds", code: "payment_intent_payment_attempt_failed")
    charges[failed.id] = failed
    tell("charge.failed", of: failed.json(isLive: isLive))
    payment.status = "requires_payment_method"
    payment.lastError = failed.decline.map { Refusal.card($0).json }
    payments[id] = payment
    tell("payment_intent.payment_failed", of: payment.json(isLive: isLive))
  }
}
