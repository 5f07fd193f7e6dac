public import StoreStripe

/// How the store is paid.
public struct PaymentConfiguration: Sendable {
  /// A payment provider that this program has.
  public enum Provider: String, Sendable, CaseIterable {
    /// Test cards. No money moves.
    case sandbox
    /// Cards, with Stripe.
    case stripe
  }

  /// Who takes new payments.
  public var provider = Provider.sandbox
  /// Stripe.
  public var stripe = StripeConfiguration()

  /// The default: the sandbox.
  public init() {}
}
