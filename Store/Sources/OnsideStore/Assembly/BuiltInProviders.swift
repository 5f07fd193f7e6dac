public import Crypto
import OnsideCommerce
import StoreBase
import StorePayments
import StoreSales
import StoreStripe
import StoreWeb

/// The payment providers that this program has: the one place beside their folders and the configuration where they are
/// named.
enum BuiltInProviders {
  /// The providers of a store; the first one takes new payments. One that is configured and not chosen still refunds
  /// what it took.
  static func factories(_ configuration: StoreConfiguration) -> [PaymentProviderFactory] {
    var factories: [PaymentProviderFactory] = []
    if let settings = try? StripeSettings(configuration.payments.stripe, in: configuration.environment) {
      factories.append { StripePaymentProvider(settings, $0) }
    }
    // Commands also work with an incomplete configuration of production, with which the store is not served.
    guard configuration.environment == .sandbox || factories.isEmpty else { return factories }
    let sandbox: PaymentProviderFactory = { SandboxPaymentProvider($0) }
    return configuration.payments.provider == .sandbox ? [sandbox] + factories : factories + [sandbox]
  }

  /// The first missing provider key, or nil. A provider that is not chosen has to be complete when anything of it is
  /// set.
  static func fault(_ configuration: StoreConfiguration) -> (key: String, reason: String)? {
    let payments = configuration.payments
    guard payments.provider == .stripe || payments.stripe.isUsed else { return nil }
    do throws(StripeSettingsFault) {
      _ = try StripeSettings(payments.stripe, in: configuration.environment)
      return nil
    } catch {
      return ("stripe.\(error.key)", error.reason)
    }
  }

  /// Asks each provider that is configured whether the store could use it now; what is wrong, or what was found.
  static func checks(_ configuration: StoreConfiguration, address: PublicAddress) async -> [PaymentProviderCheck] {
    guard let settings = try? StripeSettings(configuration.payments.stripe, in: configuration.environment) else {
      return []
    }
    return await StripeCheck(settings: settings, address: address).findings()
  }

  /// The least amount by which a provider moves money of a currency; refunds are multiples of it.
  static func step(of provider: String, in currency: Currency) -> Money {
    let units = provider == StripePaymentProvider.name ? StripeAmount.minorUnits(ofStepIn: currency) : 1
    return Money(minorUnits: units, currency: currency)
  }

  /// The reason a provider rejects an amount, or nil.
  static func problem(of amount: Money, at provider: String) -> String? {
    provider == StripePaymentProvider.name ? StripeAmount.problem(of: amount) : nil
  }

  /// The tables of all of them, configured or not.
  static let migrations = Migration.sandboxProvider + Migration.stripe
  /// Queries that compare the store's payments with books that a provider keeps in the store's database. Each selects
  /// what differs as `subject`.
  static let reconciliations = SandboxRecords.reconciliations
  /// Their tables that hold data of accounts, for the export.
  static let exports = [SandboxRecords.export, SandboxRecords.disputeExport, StripeCustomerRecords.export]
  /// Test cards of the sandbox.
  static let testCards = EventTestCards(
    accepted: SandboxCard.succeeds.details, declined: SandboxCard.declined.details,
    disputed: SandboxCard.disputeLost.details)
  /// The pages of all of them.
  static let pages: [any Page.Type] = [SecondStepPage.self, StripeCardPage.self]
}

extension StoreCore {
  /// The key that signs the sandbox provider's events: for tools that play the provider themselves.
  public var sandboxProviderKey: SymmetricKey { secrets.keys(for: SandboxSignature.keyPurpose).current }
}
