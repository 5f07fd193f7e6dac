import OnsideCommerce

/// The choice of the payment method of a subscription.
extension SubscriptionService {
  /// Makes a saved method of the account the one that renewals are charged to, and charges an unpaid renewal with it;
  /// false without such a method or a subscription that can renew.
  func setMethod(_ method: String, of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      try service.settlement.passTime(of: key, in: transaction)
      guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isSubscribed,
        try PaymentMethodRecords.methods(of: key.account, in: transaction).contains(where: { $0.id == method })
      else { return false }
      known.method = method
      let effects = known.machine.handle(.retryRequested, at: transaction.now)
      try service.settlement.carryOut(effects, of: &known, in: transaction)
      return true
    }
  }
}
