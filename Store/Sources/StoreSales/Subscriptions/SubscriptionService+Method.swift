import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments
import StoreWeb

/// The choice of the payment method of a subscription.
extension SubscriptionService {
  /// Sets a saved method of the account as the method of renewals, and charges an unpaid renewal with it. Returns false
  /// for an unknown method, for one that cannot be charged, and for a subscription that cannot renew. The present
  /// method is not charged again.
  ///
  /// - Parameter shownPrice: the price of the next renewal on the page. Nothing changes if the present price differs.
  func setMethod(_ method: String, shownPrice: Money?, of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      try service.lifecycle.passTime(of: key, in: transaction)
      guard let known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isSubscribed,
        let chosen = try PaymentMethodRecords.method(method, of: key.account, in: transaction), chosen.isSaved,
        service.providers.canCharge(chosen)
      else { return false }
      if known.method == method { return true }
      guard known.machine.nextPrice == shownPrice else { return false }
      try service.lifecycle.setMethod(chosen, of: known, in: transaction)
      return true
    }
  }
}

extension SubscriptionService {
  /// Returns the name of the payment method that renewals are charged to, or nil without a method.
  func methodName(of current: CurrentSubscription, for visit: PageVisit) -> String? {
    current.method.map { providers.name(of: $0, visit.providerContext(dependencies.environment)) }
  }
}

extension PageVisit {
  /// The texts and colours of the page, for the elements of a provider.
  func providerContext(_ environment: StoreEnvironment) -> ProviderPageContext {
    ProviderPageContext(texts: texts, theme: look.theme, environment: environment)
  }
}

extension StoredSubscription {
  /// A Boolean value that indicates whether the renewal is on, or can be switched on. A subscription without a payment
  /// method cannot renew.
  var canRenew: Bool { machine.autoRenews || method != nil }
}
