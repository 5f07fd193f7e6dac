import Foundation
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreStripe
@testable import StoreWeb

@Suite("Stripe: its configuration, and doctor's questions", .timeLimit(.minutes(5)))
struct StripeSettingsTests {
  private static func configuration(_ change: (inout ServeConfiguration) -> Void = { _ in }) -> ServeConfiguration {
    var configuration = ServeConfiguration()
    configuration.store.payments.provider = .stripe
    configuration.store.payments.stripe.secretKey = ConfigurationSecret("sk_test_1")
    configuration.store.payments.stripe.publishableKey = "pk_test_1"
    configuration.store.payments.stripe.webhookSecret = ConfigurationSecret("whsec_1")
    change(&configuration)
    return configuration
  }

  private static func needed(_ configuration: ServeConfiguration) -> String? {
    do throws(ConfigurationError) {
      try configuration.check()
      return nil
    } catch {
      guard case .needed(let name, _) = error else { return "\(error)" }
      return name
    }
  }

  private static func live(_ change: (inout ServeConfiguration) -> Void = { _ in }) -> ServeConfiguration {
    configuration { configuration in
      configuration.store.environment = .production
      configuration.store.name = "Shop"
      configuration.store.publicURL = URL(string: "https://store.example")
      configuration.store.messages.sender = .http
      configuration.store.messages.url = "https://gateway.example"
      configuration.store.payments.stripe.secretKey = ConfigurationSecret("rk_live_1")
      configuration.store.payments.stripe.publishableKey = "pk_live_1"
      change(&configuration)
    }
  }

  @Test("a complete configuration starts, in the sandbox and in production")
  func complete() throws {
    #expect(Self.needed(Self.configuration()) == nil && Self.needed(Self.live()) == nil)
    #expect(BuiltInProviders.factories(Self.live().store).count == 1)
    // A command works on a production store's database also without the keys.
    var keyless = StoreConfiguration()
    keyless.environment = .production
    #expect(BuiltInProviders.factories(keyless).count == 1)
  }

  @Test("a key that is missing, of the other mode or of another kind is named, and not shown")
  func incomplete() {
    let stripe = \ServeConfiguration.store.payments.stripe
    #expect(Self.needed(Self.configuration { $0[keyPath: stripe].secretKey = nil }) == "payments.stripe.secret_key")
    #expect(
      Self.needed(Self.configuration { $0[keyPath: stripe].secretKey = ConfigurationSecret("sk_live_1") })
        == "payments.stripe.secret_key")
    #expect(
      Self.needed(Self.configuration { $0[keyPath: stripe].secretKey = ConfigurationSecret("pk_test_1") })
        == "payments.stripe.secret_key")
    #expect(
      Self.needed(Self.configuration { $0[keyPath: stripe].publishableKey = "sk_test_1" })
        == "payments.stripe.publishable_key")
    #expect(
      Self.needed(Self.configuration { $0[keyPath: stripe].webhookSecret = nil }) == "payments.stripe.webhook_secret")
    #expect(
      Self.needed(Self.live { $0[keyPath: stripe].secretKey = ConfigurationSecret("sk_test_1") })
        == "payments.stripe.secret_key")
    // Half of it is a mistake also while the sandbox is paid.
    #expect(
      Self.needed(
        Self.configuration {
          $0.store.payments.provider = .sandbox
          $0[keyPath: stripe].publishableKey = nil
        }) == "payments.stripe.publishable_key")
  }

  @Test("production takes no other address than Stripe's, and no sandbox")
  func production() throws {
    let stripe = \ServeConfiguration.store.payments.stripe
    let other = URL(string: "http://127.0.0.1:8420")
    #expect(Self.needed(Self.configuration { $0[keyPath: stripe].apiAddress = other }) == nil)
    #expect(Self.needed(Self.live { $0[keyPath: stripe].apiAddress = other }) == "payments.stripe.api_address")
    #expect(Self.needed(Self.live { $0[keyPath: stripe].scriptAddress = other }) == "payments.stripe.script_address")
    #expect(throws: ConfigurationError.noPaymentProvider) {
      try Self.live { $0.store.payments.provider = .sandbox }.check()
    }
  }

  @Test("the keys are read from variables, and printed as redacted")
  func variables() throws {
    let configuration = try ServeConfiguration(
      file: nil,
      environment: [
        "ONSIDE_PAYMENTS_PROVIDER": "stripe", "ONSIDE_PAYMENTS_STRIPE_SECRET_KEY": "sk_test_abc",
        "ONSIDE_PAYMENTS_STRIPE_PUBLISHABLE_KEY": "pk_test_abc", "ONSIDE_PAYMENTS_STRIPE_WEBHOOK_SECRET": "whsec_abc",
        "ONSIDE_PAYMENTS_STRIPE_OTHER_WEBHOOK_SECRET": "whsec_def",
      ])
    try configuration.check()
    let settings = try StripeSettings(configuration.store.payments.stripe, in: .sandbox)
    #expect(settings.webhookSecrets.count == 2 && settings.apiAddress == "https://api.stripe.com")
    #expect(!"\(configuration)".contains("sk_test_abc") && !"\(settings)".contains("sk_test_abc"))
  }

  private static func check(
    _ stripe: StripeServerDouble, _ change: (inout StripeConfiguration) -> Void = { _ in }
  ) async throws -> [String: Bool] {
    try await findings(stripe, change).reduce(into: [:]) { $0[$1.subject] = $1.remedy == nil }
  }

  private static func findings(
    _ stripe: StripeServerDouble, _ change: (inout StripeConfiguration) -> Void
  ) async throws -> [PaymentProviderCheck] {
    var configuration = StripeStore.configuration(stripe, secret: "whsec_x")
    change(&configuration)
    var store = StoreConfiguration()
    store.publicURL = URL(string: "https://store.example")
    let check = StripeCheck(
      settings: try StripeSettings(configuration, in: .sandbox), address: PublicAddress(store))
    return await check.findings()
  }

  @Test("doctor says whether the keys work, and whether the webhook endpoint is there with all its events")
  func doctor() async throws {
    try await StripeServerDouble.run(now: { Date(timeIntervalSince1970: 1_780_000_000) }) { stripe in
      let (secret, page, webhook) = ("stripe key", "stripe publishable key", "stripe webhook")
      let without = try await Self.check(stripe)
      #expect(without == [secret: true, page: true, webhook: false])
      stripe.addWebhook("https://store.example/providers/stripe/events", events: ["payment_intent.succeeded"])
      let half = try await Self.check(stripe)
      #expect(half[webhook] == false)
      stripe.addWebhook("https://store.example/providers/stripe/events")
      let whole = try await Self.check(stripe)
      #expect(whole == [secret: true, page: true, webhook: true])
      let otherPage = try await Self.check(stripe) { $0.publishableKey = "pk_test_wrong" }
      #expect(otherPage[page] == false)
      let otherKey = try await Self.check(stripe) { $0.secretKey = ConfigurationSecret("sk_test_wrong") }
      #expect(otherKey == [secret: false])
    }
  }

  @Test("doctor names what a restricted key may not read, such as payouts")
  func restrictedKey() async throws {
    try await StripeServerDouble.run(now: { Date(timeIntervalSince1970: 1_780_000_000) }) { stripe in
      stripe.addWebhook("https://store.example/providers/stripe/events")
      for (forbidden, text) in [
        ([], nil), (["payouts"], "payouts"), (["radar", "disputes"], "disputes, early fraud warnings"),
      ] as [(Set<String>, String?)] {
        let key = stripe.makeRestrictedKey(without: forbidden)
        let findings = try await Self.findings(stripe) { $0.secretKey = ConfigurationSecret(key) }
        #expect(findings.map(\.subject) == ["stripe key", "stripe publishable key", "stripe rights", "stripe webhook"])
        #expect(findings.filter { $0.remedy != nil }.map(\.subject) == (text == nil ? [] : ["stripe rights"]))
        if let text { #expect(findings[2].text == "the restricted key may not read \(text)") }
      }
    }
  }
}
