package import StoreBase

extension StripeConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<StripeConfiguration>] = [
    ConfigurationKey("payments.stripe.secret_key", path: \.secretKey, kind: .secret),
    ConfigurationKey("payments.stripe.publishable_key", path: \.publishableKey, kind: .optionalText),
    ConfigurationKey("payments.stripe.webhook_secret", path: \.webhookSecret, kind: .secret),
    ConfigurationKey("payments.stripe.other_webhook_secret", path: \.otherWebhookSecret, kind: .secret),
    ConfigurationKey("payments.stripe.api_address", path: \.apiAddress, kind: .publicAddress),
    ConfigurationKey("payments.stripe.script_address", path: \.scriptAddress, kind: .plainAddress),
    ConfigurationKey("payments.stripe.timeout", path: \.timeout, kind: .seconds(1...80), unit: "seconds"),
  ]
}
