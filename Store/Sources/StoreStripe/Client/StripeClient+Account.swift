import Foundation

/// The account with Stripe: its events, its webhooks, its books.
extension StripeClient {
  /// The most types of events that a list may name.
  static let eventTypeLimit = 20

  /// The events from a moment on, which may be up to 30 days ago.
  ///
  /// - Parameter types: at most ``eventTypeLimit``; empty for all.
  func events(since: Date, types: [String] = []) async throws(StripeError) -> [StripeEvent] {
    var form = StripeForm()
    form.set("created", to: ["gte": since.stripeTime])
    form.set("types", to: types)
    return try await all("/v1/events", form: form)
  }

  func webhookEndpoints() async throws(StripeError) -> [StripeWebhookEndpoint] {
    try await all("/v1/webhook_endpoints", form: StripeForm())
  }

  func balance() async throws(StripeError) -> StripeBalance {
    try await get("/v1/balance")
  }

  /// The movements of a charge: what it brought, and what Stripe took for it.
  func balanceTransactions(of charge: String) async throws(StripeError) -> [StripeBalanceTransaction] {
    var form = StripeForm()
    form.set("source", to: charge)
    return try await all("/v1/balance_transactions", form: form)
  }

  func payout(_ id: String) async throws(StripeError) -> StripePayout {
    try await get("/v1/payouts/\(id)")
  }

  func payouts(since: Date) async throws(StripeError) -> [StripePayout] {
    var form = StripeForm()
    form.set("created", to: ["gte": since.stripeTime])
    return try await all("/v1/payouts", form: form)
  }
}
