import Foundation

extension StripeState {
  mutating func method(_ request: StripeRequest) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("POST", 1): return try createMethod(form).json(isLive: isLive)
    case ("GET", 1):
      try form.allow(Self.listParameters.union(["customer", "type"]))
      return try listMethods(of: try living(try form.required("customer")), form: form)
    case ("GET", 2): return try known(method: path[1], status: 404).json(isLive: isLive)
    case ("POST", 3) where path[2] == "attach": return try attach(path[1], form: form)
    case ("POST", 3) where path[2] == "detach":
      try form.allow([])
      let method = try known(method: path[1], status: 404)
      guard method.customer != nil else {
        throw .invalid("The payment method you provided is not attached to a customer so detachment is impossible.")
      }
      return detach(method).json(isLive: isLive)
    default: throw unknown(request)
    }
  }

  /// A method by its id or the name of a ready-made one, which is made then.
  mutating func known(method id: String, status: Int = 400) throws(Refusal) -> PaymentMethod {
    if let method = methods[id] { return method }
    guard let card = TestCard.named(id), status == 400 else {
      throw .missing("PaymentMethod", id: id, param: status == 404 ? "id" : "payment_method", status: status)
    }
    return make(card, expires: (12, 2034))
  }

  func listMethods(of customer: Customer, form: Form) throws(Refusal) -> JSON {
    let type = try form.text("type")
    let matching = methods.newest.filter { $0.customer == customer.id && (type == nil || $0.type == type) }
    return try list(matching, form: form, url: "payment_methods", id: \.id) { $0.json(isLive: isLive) }
  }

  /// Makes a method of what a page or a test entered.
  mutating func createMethod(_ form: Form) throws(Refusal) -> PaymentMethod {
    try form.allow([
      "type", "card", "sepa_debit", "billing_details", "metadata", "client_attribution_metadata", "allow_redisplay",
    ])
    switch try form.required("type") {
    case "card":
      let entered = try form.form("card")
      try entered.allow(["number", "exp_month", "exp_year", "cvc"])
      let number = try entered.required("number").filter { !$0.isWhitespace }
      guard let card = TestCard.number(number) else {
        throw .card(Decline(nil, code: "incorrect_number"))
      }
      guard let month = try entered.number("exp_month"), (1...12).contains(month) else {
        throw .card(Decline(nil, code: "invalid_expiry_month"))
      }
      guard var year = try entered.number("exp_year") else { throw .card(Decline(nil, code: "invalid_expiry_year")) }
      if year < 100 { year += 2000 }
      return make(card, expires: (Int(month), Int(year)))
    case "sepa_debit":
      let entered = try form.form("sepa_debit")
      try entered.allow(["iban"])
      let account = TestCard(number: try entered.required("iban"), country: "DE")
      return make(account, expires: (0, 0), isDirectDebit: true)
    case let type: throw .invalid("Invalid type: \(type)", param: "type")
    }
  }

  private mutating func make(
    _ card: TestCard, expires: (month: Int, year: Int), isDirectDebit: Bool = false
  ) -> PaymentMethod {
    let method = PaymentMethod(
      id: id("pm"), created: now, card: card, isDirectDebit: isDirectDebit, lastFour: card.lastFour,
      expMonth: expires.month, expYear: expires.year)
    methods[method.id] = method
    return method
  }

  private mutating func attach(_ id: String, form: Form) throws(Refusal) -> JSON {
    try form.allow(["customer"])
    let customer = try living(try form.required("customer"))
    let method = try known(method: id)
    if let decline = method.card.saveDecline { throw .card(decline) }
    return try attach(method, to: customer.id).json(isLive: isLive)
  }

  /// Attaches a method, unless it is another's or was detached.
  @discardableResult
  mutating func attach(_ method: PaymentMethod, to customer: String) throws(Refusal) -> PaymentMethod {
    try requireUsable(method, by: customer)
    guard method.customer == nil else { return method }
    var method = method
    method.customer = customer
    methods[method.id] = method
    tell("payment_method.attached", of: method.json(isLive: isLive))
    return method
  }

  /// Refuses a method that was detached, or is another customer's.
  func requireUsable(_ method: PaymentMethod, by customer: String?) throws(Refusal) {
    guard !method.wasDetached else {
      throw .invalid(
        "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with "
          + "a connected account without Customer attachment, or was detached from a Customer. It may not be used again."
      )
    }
    guard method.customer == nil || method.customer == customer else {
      throw .invalid("The payment method supplied (\(method.id)) does not belong to the Customer you supplied.")
    }
  }

  /// Detaches a method, also by hand in the dashboard.
  @discardableResult
  mutating func detach(_ method: PaymentMethod) -> PaymentMethod {
    var method = method
    let customer = method.customer
    method.customer = nil
    method.wasDetached = true
    methods[method.id] = method
    tell("payment_method.detached", of: method.json(isLive: isLive), previous: ["customer": .optional(customer)])
    return method
  }
}
