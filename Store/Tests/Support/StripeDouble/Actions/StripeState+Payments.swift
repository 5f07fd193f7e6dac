import Foundation

extension StripeState {
  mutating func payment(_ request: StripeRequest, isPage: Bool) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("POST", 1): return try createPayment(form)
    case ("GET", 1):
      try form.allow(Self.listParameters.union(["customer"]))
      let (customer, created) = (try form.text("customer"), try form.range("created"))
      let matching = payments.newest.filter {
        (customer == nil || $0.customer == customer) && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "payment_intents", id: \.id) { $0.json(isLive: isLive) }
    default: break
    }
    guard path.count >= 2 else { throw unknown(request) }
    let payment = try known(payment: path[1], secret: try form.text("client_secret"), isPage: isPage)
    switch (request.method, path.count) {
    case ("GET", 2): return payment.json(isLive: isLive)
    case ("POST", 3) where path[2] == "confirm": return try confirm(payment, form: form)
    case ("POST", 3) where path[2] == "cancel": return try cancel(payment, form: form)
    default: throw unknown(request)
    }
  }

  private func known(payment id: String, secret: String?, isPage: Bool) throws(Refusal) -> PaymentIntent {
    guard let payment = payments[id], !isPage || payment.clientSecret == secret else {
      throw .missing("payment_intent", id: id, param: "intent")
    }
    return payment
  }

  private mutating func createPayment(_ form: Form) throws(Refusal) -> JSON {
    try form.allow([
      "amount", "currency", "customer", "payment_method", "allowed_payment_method_types", "automatic_payment_methods",
      "off_session", "confirm", "setup_future_usage", "metadata", "description", "receipt_email", "return_url",
      "statement_descriptor_suffix", "error_on_requires_action", "payment_method_data", "mandate_data",
    ])
    let payment = try newPayment(form)
    // What is refused from here on is refused after the payment was made, as with Stripe.
    guard try form.bool("confirm") == true else {
      guard try form.bool("off_session") == nil else {
        throw .invalid("off_session can only be used with confirm=true.", param: "off_session")
      }
      payments[payment.id] = payment
      tell("payment_intent.created", of: payment.json(isLive: isLive))
      return payment.json(isLive: isLive)
    }
    let method = try method(form, named: payment.method, of: payment)
    try requireUsable(method, by: payment.customer)
    payments[payment.id] = payment
    tell("payment_intent.created", of: payment.json(isLive: isLive))
    return try charge(payment, with: method, terms: try ChargeTerms(form))
  }

  /// The minimum charges of some currencies: docs.stripe.com/currencies.
  private static let minimumCharges: [String: Int64] = ["eur": 50, "gbp": 30, "usd": 50]

  private mutating func newPayment(_ form: Form) throws(Refusal) -> PaymentIntent {
    guard let amount = try form.number("amount") else {
      throw .invalid("Missing required param: amount.", code: "parameter_missing", param: "amount")
    }
    guard amount > 0 else {
      throw .invalid(
        "This value must be greater than or equal to 1.", code: "parameter_invalid_integer", param: "amount")
    }
    guard amount <= 99_999_999 else {
      throw .invalid("Amount must be no more than 999,999.99", code: "amount_too_large", param: "amount")
    }
    let currency = try form.required("currency").lowercased()
    guard amount >= (Self.minimumCharges[currency] ?? 1) else {
      throw .invalid("The amount is below the minimum charge.", code: "amount_too_small", param: "amount")
    }
    guard currency.count == 3, currency.allSatisfy({ $0.isASCII && $0.isLetter }) else {
      throw .invalid("Invalid currency: \(currency).", param: "currency")
    }
    let customer = try form.text("customer")
    if let customer { _ = try living(customer) }
    let id = id("pi")
    let named = try form.text("payment_method")
    let types = try form.list("allowed_payment_method_types")
    var payment = PaymentIntent(
      id: id, created: now, clientSecret: self.id("\(id)_secret"), amount: amount, currency: currency,
      customer: customer, types: types.isEmpty ? ["card"] : types, metadata: try form.texts("metadata"))
    payment.savesMethod = try form.text("setup_future_usage") == "off_session"
    payment.description = try form.text("description")
    payment.receiptEmail = try form.text("receipt_email")
    if let named {
      payment.method = try known(method: named).id
      payment.status = "requires_confirmation"
    }
    return payment
  }

  private mutating func confirm(_ payment: PaymentIntent, form: Form) throws(Refusal) -> JSON {
    try form.allow([
      "payment_method", "payment_method_data", "off_session", "return_url", "mandate_data", "use_stripe_sdk",
      "client_secret", "setup_future_usage", "error_on_requires_action", "expected_payment_method_type",
    ])
    let isOpen = ["requires_payment_method", "requires_confirmation", "requires_action"].contains(payment.status)
    guard isOpen else { throw unexpected(payment) }
    let method = try method(form, named: try form.text("payment_method") ?? payment.method, of: payment)
    try requireUsable(method, by: payment.customer)
    return try charge(payment, with: method, terms: try ChargeTerms(form))
  }

  /// The method that a request enters, or that it or an earlier one names.
  private mutating func method(
    _ form: Form, named id: String?, of payment: PaymentIntent
  ) throws(Refusal) -> PaymentMethod {
    let data = try form.form("payment_method_data")
    guard data.members.isEmpty else { return try createMethod(data) }
    guard let id else {
      throw .invalid(
        "You cannot confirm this PaymentIntent because it's missing a payment method.",
        code: "payment_intent_unexpected_state")
    }
    let method = try known(method: id)
    guard payment.types.contains(method.type) else {
      throw .invalid(
        "The PaymentMethod provided (\(method.type)) is not allowed for this PaymentIntent.",
        code: "payment_intent_incompatible_payment_method", param: "payment_method")
    }
    return method
  }

  private mutating func cancel(_ payment: PaymentIntent, form: Form) throws(Refusal) -> JSON {
    try form.allow(["cancellation_reason"])
    guard !["succeeded", "canceled", "processing"].contains(payment.status) else { throw unexpected(payment) }
    var payment = payment
    payment.status = "canceled"
    payment.canceledAt = now
    payment.cancellationReason = try form.text("cancellation_reason")
    payments[payment.id] = payment
    tell("payment_intent.canceled", of: payment.json(isLive: isLive))
    return payment.json(isLive: isLive)
  }

  private func unexpected(_ payment: PaymentIntent) -> Refusal {
    var refusal = Refusal.invalid(
      "This PaymentIntent's status is \(payment.status), which does not allow that.",
      code: "payment_intent_unexpected_state")
    refusal.objects["payment_intent"] = payment.json(isLive: isLive)
    return refusal
  }
}
