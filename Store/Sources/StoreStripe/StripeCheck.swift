import Foundation
import StoreBase
package import StorePayments
package import StoreWeb

/// Doctor's questions to Stripe: whether the keys work, are of the right mode and may read what the store lists, and
/// whether the webhook endpoint is there. No money moves.
package struct StripeCheck: Sendable {
  /// The lists that the store reads, by what is in them. Whether the key may write is not asked.
  private static let lists: [(right: String, path: String)] = [
    ("payment intents", "payment_intents"), ("setup intents", "setup_intents"), ("charges", "charges"),
    ("refunds", "refunds"), ("disputes", "disputes"),
    ("early fraud warnings", "radar/early_fraud_warnings"), ("events", "events"),
    ("balance transactions", "balance_transactions"), ("payouts", "payouts"),
  ]

  package let settings: StripeSettings
  package let address: PublicAddress

  package init(settings: StripeSettings, address: PublicAddress) {
    self.settings = settings
    self.address = address
  }

  private var client: StripeClient {
    StripeClient(key: settings.key, address: settings.apiAddress, timeout: settings.timeout)
  }

  package func findings() async -> [PaymentProviderCheck] {
    let secret = await secretKey()
    guard secret.remedy == nil else { return [secret] }
    let rights = settings.key.kind == .restricted ? [await rights()] : []
    return [secret, await publishableKey()] + rights + [await webhook()]
  }

  private func secretKey() async -> PaymentProviderCheck {
    do throws(StripeError) {
      let isLive = try await client.balance().livemode
      let mode = isLive ? "live" : "test"
      guard isLive == (settings.environment == .production) else {
        return .bad(
          "stripe key", "expected a key of the other mode, got one of the \(mode) mode",
          remedy: "Put the key of this environment into payments.stripe.secret_key.")
      }
      return .good("stripe key", "it works, in the \(mode) mode")
    } catch {
      return .bad("stripe key", "\(error)", remedy: Self.remedy(error, key: "payments.stripe.secret_key"))
    }
  }

  /// A page's key may ask for a payment whose secret it knows: that there is none tells that the key is known.
  private func publishableKey() async -> PaymentProviderCheck {
    let page = StripeClient(key: settings.publishableKey, address: settings.apiAddress, timeout: settings.timeout)
    var form = StripeForm()
    form.set("client_secret", to: "pi_none_secret_none")
    do throws(StripeError) {
      let _: StripePaymentIntent = try await page.get("/v1/payment_intents/pi_none", form: form)
      return .good("stripe publishable key", "it works")
    } catch {
      guard error.kind == .invalidRequest else {
        return .bad(
          "stripe publishable key", "\(error)", remedy: Self.remedy(error, key: "payments.stripe.publishable_key"))
      }
      return .good("stripe publishable key", "it works")
    }
  }

  /// Without one of these rights a store sells, but look-ups of these events fail until the right is granted.
  private func rights() async -> PaymentProviderCheck {
    let subject = "stripe rights"
    var form = StripeForm()
    form.set("limit", to: 1)
    var missing: [String] = []
    for list in Self.lists {
      do throws(StripeError) {
        let _: StripeList<StripeReference> = try await client.get("/v1/\(list.path)", form: form)
      } catch {
        guard error.kind == .permission else {
          return .bad(subject, "\(error)", remedy: Self.remedy(error, key: "payments.stripe.secret_key"))
        }
        missing.append(list.right)
      }
    }
    guard missing.isEmpty else {
      return .bad(
        subject, "the restricted key may not read \(missing.joined(separator: ", "))",
        remedy: "Give it the right to read them, or put a secret key into payments.stripe.secret_key.")
    }
    return .good(subject, "the restricted key may read what the store lists")
  }

  private func webhook() async -> PaymentProviderCheck {
    let url = address.url(path: "/providers/\(StripePaymentProvider.name)/events").absoluteString
    let remedy = "Add an endpoint \(url) in Stripe's dashboard with the events that docs/operating.md lists."
    do throws(StripeError) {
      let endpoints = try await client.webhookEndpoints().filter { $0.url == url }
      guard let endpoint = endpoints.first(where: { $0.status == "enabled" }) ?? endpoints.first else {
        return .bad("stripe webhook", "expected an endpoint \(url), got none", remedy: remedy)
      }
      guard endpoint.status == "enabled" else {
        return .bad("stripe webhook", "expected \(url) to be enabled, got \(endpoint.status)", remedy: remedy)
      }
      let events = Set(endpoint.enabledEvents)
      let missing = events.contains("*") ? [] : StripePaymentProvider.eventTypes.filter { !events.contains($0) }
      guard missing.isEmpty else {
        return .bad("stripe webhook", "it misses the events \(missing.joined(separator: ", "))", remedy: remedy)
      }
      return .good("stripe webhook", url)
    } catch {
      return .bad("stripe webhook", "\(error)", remedy: Self.remedy(error, key: "payments.stripe.secret_key"))
    }
  }

  private static func remedy(_ error: StripeError, key: String) -> String {
    switch error.kind {
    case .authentication: "Stripe does not know the key: correct \(key)."
    case .permission: "Give the restricted key the right that is missing, or use a secret key in \(key)."
    default: "Until then no one can pay: see that this machine reaches Stripe, and status.stripe.com."
    }
  }
}
