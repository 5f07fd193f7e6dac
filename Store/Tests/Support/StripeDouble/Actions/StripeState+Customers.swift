import Foundation

extension StripeState {
  mutating func customer(_ request: StripeRequest) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("POST", 1): return try createCustomer(form)
    case ("GET", 1):
      try form.allow(Self.listParameters.union(["email"]))
      let (email, created) = (try form.text("email"), try form.range("created"))
      let matching = customers.newest.filter {
        !$0.isDeleted && (email == nil || $0.email == email) && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "customers", id: \.id) { $0.json(isLive: isLive) }
    case ("GET", 2): return try known(path[1]).json(isLive: isLive)
    case ("DELETE", 2): return try deleteCustomer(path[1])
    case ("GET", 3) where path[2] == "payment_methods":
      try form.allow(Self.listParameters.union(["type"]))
      return try listMethods(of: try living(path[1]), form: form)
    default: throw unknown(request)
    }
  }

  /// A customer that may be deleted.
  private func known(_ id: String) throws(Refusal) -> Customer {
    guard let customer = customers[id] else { throw .missing("customer", id: id) }
    return customer
  }

  /// A customer that is there.
  func living(_ id: String, param: String = "customer", status: Int = 400) throws(Refusal) -> Customer {
    guard let customer = customers[id], !customer.isDeleted else {
      throw .missing("customer", id: id, param: param, status: status)
    }
    return customer
  }

  private mutating func createCustomer(_ form: Form) throws(Refusal) -> JSON {
    try form.allow(["email", "name", "metadata", "description"])
    let customer = Customer(
      id: id("cus"), created: now, email: try form.text("email"), name: try form.text("name"),
      metadata: try form.texts("metadata"))
    customers[customer.id] = customer
    let json = customer.json(isLive: isLive)
    tell("customer.created", of: json)
    return json
  }

  /// Deletes a customer, also by hand in the dashboard: its methods are detached.
  mutating func deleteCustomer(_ id: String) throws(Refusal) -> JSON {
    var customer = try living(id, param: "id", status: 404)
    for method in methods.all where method.customer == id { detach(method) }
    let before = customer.json(isLive: isLive)
    customer.isDeleted = true
    customers[id] = customer
    tell("customer.deleted", of: before)
    return customer.json(isLive: isLive)
  }
}
