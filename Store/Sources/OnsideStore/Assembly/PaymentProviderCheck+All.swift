public import StorePayments
import StoreWeb

extension PaymentProviderCheck {
  /// Asks each payment provider of a configuration. No money moves.
  public static func all(_ configuration: StoreConfiguration) async -> [PaymentProviderCheck] {
    await BuiltInProviders.checks(configuration, address: PublicAddress(configuration))
  }
}
