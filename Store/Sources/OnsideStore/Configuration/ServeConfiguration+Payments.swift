import StoreBase
import StoreStripe

extension ConfigurationKey {
  /// Who is paid, and how.
  static let payments = [
    ConfigurationKey(
      "payments.provider", path: \.store.payments.provider, kind: .choice(of: PaymentConfiguration.Provider.allCases)),
    ConfigurationKey("payments.stripe.secret_key", path: \.store.payments.stripe.secretKey, kind: .secret),
    ConfigurationKey(
      "payments.stripe.publishable_key", path: \.store.payments.stripe.publishableKey, kind: .optionalText),
    ConfigurationKey("payments.stripe.webhook_secret", path: \.store.payments.stripe.webhookSecret, kind: .secret),
    ConfigurationKey(
      "payments.stripe.other_webhook_secret", path: \.store.payments.stripe.otherWebhookSecret, kind: .secret),
    ConfigurationKey("payments.stripe.api_address", path: \.store.payments.stripe.apiAddress, kind: .publicAddress),
    ConfigurationKey("payments.stripe.script_address", path: \.store.payments.stripe.scriptAddress, kind: .collector),
    ConfigurationKey(
      "payments.stripe.timeout", path: \.store.payments.stripe.timeout, kind: .seconds(1...80), unit: "seconds"),
  ]
}

extension ServeConfiguration {
  /// Refuses a provider that misses something, and in production one that moves no money.
  func checkPayments() throws(ConfigurationError) {
    if let fault = BuiltInProviders.fault(store) {
      throw .needed(name: "payments.\(fault.key)", reason: fault.reason)
    }
    guard store.environment == .sandbox || store.payments.provider != .sandbox else { throw .noPaymentProvider }
  }
}
