import Foundation

/// A payment that is to be asked for.
struct StripeNewPayment: Sendable {
  let amount: StripeAmount
  let customer: String
  /// A saved method; nil while the buyer chooses on the page.
  var method: String?
  /// Whether the payment is made without the buyer.
  var isOffSession = false
  /// Whether to charge at once, with `method`.
  var isConfirmed = false
  /// Whether a method that the buyer enters is saved for payments without the buyer.
  var savesMethod = false
  /// The store's own ids: by them a payment is found whose answer was lost.
  var metadata: [String: String] = [:]

  var form: StripeForm {
    var form = StripeForm()
    form.set("amount", to: amount.value)
    form.set("currency", to: amount.currency)
    form.set("customer", to: customer)
    form.set("payment_method", to: method)
    // Cards only, whatever the dashboard allows: others need an address to come back to, also when the buyer is away.
    form.set("allowed_payment_method_types", to: ["card"])
    form.set("off_session", to: isOffSession ? true : nil)
    form.set("confirm", to: isConfirmed ? true : nil)
    form.set("setup_future_usage", to: savesMethod ? "off_session" : nil)
    form.set("metadata", to: metadata)
    return form
  }
}

/// Payments: Stripe's payment intents.
extension StripeClient {
  func createPayment(
    _ payment: StripeNewPayment, key: StripeIdempotencyKey
  ) async throws(StripeError) -> StripePaymentIntent {
    var form = payment.form
    form.set("expand", to: ["payment_method"])
    return try await post("/v1/payment_intents", form: form, key: key)
  }

  func payment(_ id: String) async throws(StripeError) -> StripePaymentIntent {
    var form = StripeForm()
    form.set("expand", to: ["payment_method"])
    return try await get(Self.path("payment_intents", id: id), form: form)
  }

  /// Ends a payment that has not succeeded: no one can pay it any more.
  func cancelPayment(_ id: String, key: StripeIdempotencyKey) async throws(StripeError) -> StripePaymentIntent {
    var form = StripeForm()
    form.set("cancellation_reason", to: "abandoned")
    return try await post(Self.path("payment_intents", id: id, "cancel"), form: form, key: key)
  }

  /// The payments of a customer, or of all, from a moment on, or between two.
  func payments(
    of customer: String? = nil, since: Date, until: Date? = nil
  ) async throws(StripeError) -> [StripePaymentIntent] {
    var form = StripeForm()
    form.set("customer", to: customer)
    form.set("created", to: ["gte": since.stripeTime, "lte": until?.stripeTime].compactMapValues(\.self))
    form.set("expand", to: ["data.payment_method"])
    return try await all("/v1/payment_intents", form: form)
  }

  func charge(_ id: String) async throws(StripeError) -> StripeCharge {
    try await get(Self.path("charges", id: id))
  }
}

extension Date {
  /// Seconds since 1970, as Stripe counts.
  var stripeTime: String { String(Int64(timeIntervalSince1970.rounded(.down))) }
}
