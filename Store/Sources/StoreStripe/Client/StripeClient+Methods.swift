import Foundation

/// A card that is to be saved for charges without the buyer.
struct StripeNewSetup: Sendable {
  let customer: String
  /// A saved method, which is looked at at once; nil while the buyer enters one on the page.
  var method: String?
  /// The store's own ids: by them a setup is found whose answer was lost.
  var metadata: [String: String] = [:]

  var form: StripeForm {
    var form = StripeForm()
    form.set("customer", to: customer)
    form.set("payment_method", to: method)
    form.set("confirm", to: method == nil ? nil : true)
    form.set("usage", to: "off_session")
    form.set("allowed_payment_method_types", to: ["card"])
    form.set("metadata", to: metadata)
    return form
  }
}

/// Customers and the methods that they have saved.
extension StripeClient {
  /// Makes the customer of an account. The account's id is all that Stripe learns of the person.
  func createCustomer(
    metadata: [String: String], key: StripeIdempotencyKey
  ) async throws(StripeError) -> StripeCustomer {
    var form = StripeForm()
    form.set("metadata", to: metadata)
    return try await post("/v1/customers", form: form, key: key)
  }

  func customer(_ id: String) async throws(StripeError) -> StripeCustomer {
    try await get(Self.path("customers", id: id))
  }

  /// Deletes a customer and detaches its methods; payments stay.
  @discardableResult
  func deleteCustomer(_ id: String) async throws(StripeError) -> StripeCustomer {
    try await delete(Self.path("customers", id: id))
  }

  /// Begins to save a card with which later payments may be made without the buyer.
  func createSetupIntent(
    _ setup: StripeNewSetup, key: StripeIdempotencyKey
  ) async throws(StripeError) -> StripeSetupIntent {
    try await post("/v1/setup_intents", form: setup.form, key: key)
  }

  func setupIntent(_ id: String) async throws(StripeError) -> StripeSetupIntent {
    try await get(Self.path("setup_intents", id: id))
  }

  /// The setups of a customer from a moment on.
  func setupIntents(of customer: String, since: Date) async throws(StripeError) -> [StripeSetupIntent] {
    var form = StripeForm()
    form.set("customer", to: customer)
    form.set("created", to: ["gte": since.stripeTime])
    return try await all("/v1/setup_intents", form: form)
  }

  /// Ends a setup that has not succeeded: no card can be saved with it any more.
  func cancelSetupIntent(_ id: String, key: StripeIdempotencyKey) async throws(StripeError) -> StripeSetupIntent {
    var form = StripeForm()
    form.set("cancellation_reason", to: "abandoned")
    return try await post(Self.path("setup_intents", id: id, "cancel"), form: form, key: key)
  }

  func paymentMethod(_ id: String) async throws(StripeError) -> StripePaymentMethod {
    try await get(Self.path("payment_methods", id: id))
  }

  /// Takes a method from its customer. It can never be used again.
  @discardableResult
  func detachPaymentMethod(_ id: String, key: StripeIdempotencyKey) async throws(StripeError) -> StripePaymentMethod {
    try await post(Self.path("payment_methods", id: id, "detach"), key: key)
  }
}
