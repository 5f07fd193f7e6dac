import StoreAccounts

extension Customer {
  /// Its subscription in a group.
  func subscription(in group: String) -> SubscriptionKey { SubscriptionKey(account: account, app: app, group: group) }
}
