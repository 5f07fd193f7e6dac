import Foundation
package import StoreBase

/// A configuration of Stripe that is complete.
package struct StripeSettings: Sendable {
  /// Where Stripe's script is. The version is that of its published interface; it must not be copied.
  static let script = "https://js.stripe.com/dahlia/stripe.js"

  let key: StripeKey
  let publishableKey: StripeKey
  let webhookSecrets: [StripeWebhookSecret]
  let environment: StoreEnvironment
  let apiAddress: String
  let scriptAddress: String
  let timeout: Duration

  /// - Throws: the key of the configuration that is missing or wrong.
  package init(_ configuration: StripeConfiguration, in environment: StoreEnvironment) throws(StripeSettingsFault) {
    key = try Self.key(configuration.secretKey?.value, name: "secret_key", kinds: [.secret, .restricted], environment)
    publishableKey = try Self.key(
      configuration.publishableKey, name: "publishable_key", kinds: [.publishable], environment)
    guard let secret = configuration.webhookSecret.flatMap({ StripeWebhookSecret($0.value) }) else {
      throw StripeSettingsFault(key: "webhook_secret", reason: "the secret of the webhook endpoint, whsec_…")
    }
    var secrets = [secret]
    if let other = configuration.otherWebhookSecret {
      guard let other = StripeWebhookSecret(other.value) else {
        throw StripeSettingsFault(key: "other_webhook_secret", reason: "a secret of the webhook endpoint, whsec_…")
      }
      secrets.append(other)
    }
    guard environment == .sandbox || configuration.apiAddress == nil && configuration.scriptAddress == nil else {
      throw StripeSettingsFault(
        key: configuration.apiAddress == nil ? "script_address" : "api_address",
        reason: "no other address than Stripe's in production")
    }
    webhookSecrets = secrets
    self.environment = environment
    apiAddress = configuration.apiAddress?.absoluteString ?? StripeClient.address
    scriptAddress = configuration.scriptAddress?.absoluteString ?? Self.script
    timeout = configuration.timeout
  }

  private static func key(
    _ text: String?, name: String, kinds: Set<StripeKey.Kind>, _ environment: StoreEnvironment
  ) throws(StripeSettingsFault) -> StripeKey {
    let mode = environment == .production ? "live" : "test"
    let prefix = kinds.contains(.publishable) ? "pk" : "sk"
    guard let key = text.flatMap({ StripeKey($0) }), kinds.contains(key.kind),
      key.isLive == (environment == .production)
    else { throw StripeSettingsFault(key: name, reason: "a key of the \(mode) mode, \(prefix)_\(mode)_…") }
    return key
  }
}

/// What a configuration of Stripe misses.
package struct StripeSettingsFault: Error, Hashable {
  /// The key's name in the table `[payments.stripe]`.
  package let key: String
  /// What was expected.
  package let reason: String
}
