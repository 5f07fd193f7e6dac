import OnsideCommerce
import StoreBase
import StoreWeb

/// The choice of the payment method of a subscription.
extension SubscriptionService {
  /// Makes a saved method of the account the one that renewals are charged to, and charges an unpaid renewal with it;
  /// false without such a method, with one that cannot be charged any more, and for a subscription that cannot renew.
  /// The present method, chosen once more, is not charged again.
  ///
  /// - Parameter shownPrice: the price of the next renewal on the page; nothing changes when it is another one by now.
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
  /// The name of the payment method that a subscription's renewals are charged to; nil without one.
  func methodName(of current: CurrentSubscription, for visit: PageVisit) -> String? {
    current.method.map { providers.name(of: $0, visit.providerContext(dependencies.configuration.environment)) }
  }
}

extension PageVisit {
  /// The texts and colours of the page, for the parts of a provider.
  func providerContext(_ environment: StoreEnvironment) -> ProviderPageContext {
    ProviderPageContext(texts: texts, theme: look.theme, environment: environment)
  }
}

extension StoredSubscription {
  /// A Boolean value that indicates whether the renewal is on, or can be switched on: a subscription without a payment
  /// method needs one first.
  var canRenew: Bool { machine.autoRenews || method != nil }
}
