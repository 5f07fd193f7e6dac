import Foundation

extension StripeState {
  mutating func setup(_ request: StripeRequest, isPage: Bool) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("POST", 1): return try createSetup(form)
    case ("GET", 1):
      try form.allow(Self.listParameters.union(["customer", "payment_method"]))
      let (customer, method) = (try form.text("customer"), try form.text("payment_method"))
      let created = try form.range("created")
      let matching = setups.newest.filter {
        (customer == nil || $0.customer == customer) && (method == nil || $0.method == method)
          && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "setup_intents", id: \.id) { $0.json(isLive: isLive) }
    default: break
    }
    guard path.count >= 2 else { throw unknown(request) }
    let setup = try known(setup: path[1], secret: try form.text("client_secret"), isPage: isPage)
    switch (request.method, path.count) {
    case ("GET", 2): return setup.json(isLive: isLive)
    case ("POST", 3) where path[2] == "confirm": return try confirm(setup, form: form, isPage: isPage)
    case ("POST", 3) where path[2] == "cancel": return try cancel(setup, form: form)
    default: throw unknown(request)
    }
  }

  private func known(setup id: String, secret: String?, isPage: Bool) throws(Refusal) -> SetupIntent {
    guard let setup = setups[id], !isPage || setup.clientSecret == secret else {
      throw .missing("setupintent", id: id, param: "intent")
    }
    return setup
  }

  private mutating func createSetup(_ form: Form) throws(Refusal) -> JSON {
    try form.allow([
      "customer", "usage", "allowed_payment_method_types", "automatic_payment_methods", "metadata", "description",
      "payment_method", "confirm", "return_url",
    ])
    let customer = try form.text("customer")
    if let customer { _ = try living(customer) }
    let usage = try form.text("usage") ?? "off_session"
    guard ["off_session", "on_session"].contains(usage) else {
      throw .invalid("Invalid usage: must be one of off_session or on_session", param: "usage")
    }
    let isConfirmed = try form.bool("confirm") == true
    let named = isConfirmed ? try form.required("payment_method") : try form.text("payment_method")
    // What is refused from here on is refused after the setup was made, as with Stripe.
    let method = try named.map { name throws(Refusal) in try known(method: name) }
    if let method { try requireUsable(method, by: customer) }
    let id = id("seti")
    var setup = SetupIntent(
      id: id, created: now, clientSecret: self.id("\(id)_secret"), customer: customer, usage: usage,
      metadata: try form.texts("metadata"))
    if let method { (setup.method, setup.status) = (method.id, "requires_confirmation") }
    setups[id] = setup
    tell("setup_intent.created", of: setup.json(isLive: isLive))
    guard isConfirmed, let method else { return setup.json(isLive: isLive) }
    return try confirm(setup, method: method)
  }

  private mutating func confirm(_ setup: SetupIntent, form: Form, isPage: Bool) throws(Refusal) -> JSON {
    try form.allow([
      "payment_method", "payment_method_data", "mandate_data", "return_url", "use_stripe_sdk", "client_secret",
      "expected_payment_method_type",
    ])
    let data = try form.form("payment_method_data")
    guard data.members.isEmpty else { return try confirm(setup, method: try createMethod(data)) }
    guard let named = try form.text("payment_method") ?? setup.method else {
      throw .invalid(
        "You cannot confirm this SetupIntent because it's missing a payment method.",
        code: "setup_intent_unexpected_state")
    }
    return try confirm(setup, method: try known(method: named))
  }

  private mutating func confirm(_ setup: SetupIntent, method: PaymentMethod) throws(Refusal) -> JSON {
    guard ["requires_payment_method", "requires_confirmation"].contains(setup.status) else {
      throw unexpected(setup)
    }
    try requireUsable(method, by: setup.customer)
    var (setup, method) = (setup, method)
    setup.method = method.id
    if !method.nextDeclines.isEmpty {
      let decline = method.nextDeclines.removeFirst()
      methods[method.id] = method
      throw fail(setup, with: .card(decline))
    }
    if let decline = method.card.saveDecline { throw fail(setup, with: .card(decline)) }
    if method.card.authentication != .never {
      setup.status = "requires_action"
      setups[setup.id] = setup
      tell("setup_intent.requires_action", of: setup.json(isLive: isLive))
      return setup.json(isLive: isLive)
    }
    return try succeed(setup)
  }

  /// Goes on when the buyer has agreed at the bank, or has not.
  mutating func authenticate(setup id: String, agrees: Bool) throws(Refusal) {
    guard let setup = setups[id], setup.status == "requires_action" else {
      throw .missing("setupintent that waits for its buyer", id: id)
    }
    if agrees {
      _ = try succeed(setup)
    } else {
      let refusal = Refusal(
        code: "setup_intent_authentication_failure",
        message: "We are unable to authenticate your payment method.")
      _ = fail(setup, with: refusal)
    }
  }

  private mutating func succeed(_ setup: SetupIntent) throws(Refusal) -> JSON {
    var setup = setup
    if let id = setup.method, var method = methods[id] {
      if let customer = setup.customer { method = try attach(method, to: customer) }
      method.isSetUp = setup.usage == "off_session"
      methods[id] = method
    }
    setup.status = "succeeded"
    setup.lastError = nil
    setups[setup.id] = setup
    tell("setup_intent.succeeded", of: setup.json(isLive: isLive))
    return setup.json(isLive: isLive)
  }

  private mutating func fail(_ setup: SetupIntent, with refusal: Refusal) -> Refusal {
    var (setup, refusal) = (setup, refusal)
    if let method = setup.method.flatMap({ methods[$0] }) {
      refusal.objects["payment_method"] = method.json(isLive: isLive)
    }
    setup.status = "requires_payment_method"
    setup.method = nil
    setup.lastError = refusal.json
    setups[setup.id] = setup
    tell("setup_intent.setup_failed", of: setup.json(isLive: isLive))
    refusal.objects["setup_intent"] = setup.json(isLive: isLive)
    return refusal
  }

  private mutating func cancel(_ setup: SetupIntent, form: Form) throws(Refusal) -> JSON {
    try form.allow(["cancellation_reason"])
    guard !["succeeded", "canceled"].contains(setup.status) else { throw unexpected(setup) }
    var setup = setup
    setup.status = "canceled"
    setups[setup.id] = setup
    tell("setup_intent.canceled", of: setup.json(isLive: isLive))
    return setup.json(isLive: isLive)
  }

  private func unexpected(_ setup: SetupIntent) -> Refusal {
    var refusal = Refusal.invalid(
      "You cannot perform this action on this SetupIntent because it has a status of \(setup.status).",
      code: "setup_intent_unexpected_state")
    refusal.objects["setup_intent"] = setup.json(isLive: isLive)
    return refusal
  }
}
