public import Foundation
public import StoreBase

/// How the store reaches Stripe.
public struct StripeConfiguration: Sendable {
  /// The key of servers, `sk_…` or `rk_…`.
  public var secretKey: ConfigurationSecret?
  /// The key of pages, `pk_…`. It is public.
  public var publishableKey: String?
  /// The secret of the webhook endpoint, `whsec_…`.
  public var webhookSecret: ConfigurationSecret?
  /// The endpoint's other secret while it is rolled.
  public var otherWebhookSecret: ConfigurationSecret?
  /// Where the API is, in a sandbox that uses another one than Stripe's.
  public var apiAddress: URL?
  /// The script of the card fields, in a sandbox that uses another one than Stripe's.
  public var scriptAddress: URL?
  /// How long a call may take.
  public var timeout: Duration = .seconds(30)

  /// Whether anything of it is set.
  package var isUsed: Bool { secretKey != nil || publishableKey != nil || webhookSecret != nil }

  /// The default: none.
  public init() {}
}
