import StoreBase

extension ServeConfiguration {
  /// Refuses a provider that misses something, and in production one that moves no money.
  func checkPayments() throws(ConfigurationError) {
    if let fault = BuiltInProviders.fault(store) {
      throw .needed(name: "payments.\(fault.key)", reason: fault.reason)
    }
    guard store.environment == .sandbox || store.payments.provider != .sandbox else { throw .noPaymentProvider }
  }
}

extension ConfigurationError {
  /// Nothing could take real money.
  static let noPaymentProvider = ConfigurationError.unfitForProduction(
    name: "payments.provider", expected: "\"stripe\"", found: "\"sandbox\"",
    reason: """
      a production store needs a payment provider that takes real money; the sandbox's would give goods away for test \
      cards
      """)
}
