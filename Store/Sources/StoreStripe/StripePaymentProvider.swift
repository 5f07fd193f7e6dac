import Foundation
import Logging
import OnsideCommerce
import StoreBase
package import StorePayments

/// Stripe: real cards. The number is entered in fields of Stripe's, so that it never reaches the store.
///
/// A payment is a payment intent. Its id is the charge's reference; its metadata names the charge and the order. What
/// Stripe answers and what it tells by events is read in the same way: the object's state decides, fetched anew.
package struct StripePaymentProvider: PaymentProvider {
  package static let name = "stripe"

  /// How old a charge may be, in seconds, for its idempotency key to be relied on: an hour less than Stripe's day.
  static let keyTrust = StripeIdempotencyKey.lifetime - 3600
  /// The most keys that are used for one charge, when Stripe has failed under the ones before.
  static let attempts: Int64 = 5

  package var name: String { Self.name }
  let settings: StripeSettings
  let client: StripeClient
  let dependencies: BaseDependencies

  package init(_ settings: StripeSettings, _ assembly: ProviderAssembly) {
    self.settings = settings
    client = StripeClient(key: settings.key, address: settings.apiAddress, timeout: settings.timeout)
    dependencies = assembly.dependencies
  }

  package var traits: ProviderTraits {
    ProviderTraits(
      environment: settings.environment, largestEvent: 256 * 1024, pages: [StripeCardPage.self],
      scripts: [StripeCardPage.script], queues: [StripeCustomers.removalKind: { try await customers.remove($0) }],
      forget: { try customers.forget($0, in: $1) })
  }

  var customers: StripeCustomers { StripeCustomers(client: client, dependencies: dependencies) }

  /// Whether an idempotency key of a time may be forgotten at Stripe: then it is looked before anything is done again.
  func mayBeForgotten(_ askedAt: Date?) -> Bool {
    askedAt.map { dependencies.clock.now().timeIntervalSince($0) >= Self.keyTrust } ?? false
  }
}
