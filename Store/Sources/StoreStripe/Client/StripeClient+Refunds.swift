import Foundation

/// Money that goes back: refunds, disputes, warnings.
extension StripeClient {
  /// Gives money of a payment back: a part, or with nil all that is left.
  func createRefund(
    of payment: String, amount: StripeAmount?, metadata: [String: String], key: StripeIdempotencyKey
  ) async throws(StripeError) -> StripeRefund {
    var form = StripeForm()
    form.set("payment_intent", to: payment)
    form.set("amount", to: amount?.value)
    form.set("metadata", to: metadata)
    return try await post("/v1/refunds", form: form, key: key)
  }

  func refund(_ id: String) async throws(StripeError) -> StripeRefund {
    try await get(Self.path("refunds", id: id))
  }

  func refunds(of payment: String) async throws(StripeError) -> [StripeRefund] {
    var form = StripeForm()
    form.set("payment_intent", to: payment)
    return try await all("/v1/refunds", form: form)
  }

  func refunds(since: Date) async throws(StripeError) -> [StripeRefund] {
    var form = StripeForm()
    form.set("created", to: ["gte": since.stripeTime])
    return try await all("/v1/refunds", form: form)
  }

  func dispute(_ id: String) async throws(StripeError) -> StripeDispute {
    try await get(Self.path("disputes", id: id))
  }

  func disputes(since: Date) async throws(StripeError) -> [StripeDispute] {
    var form = StripeForm()
    form.set("created", to: ["gte": since.stripeTime])
    return try await all("/v1/disputes", form: form)
  }

  func earlyFraudWarning(_ id: String) async throws(StripeError) -> StripeEarlyFraudWarning {
    try await get(Self.path("radar/early_fraud_warnings", id: id))
  }
}
