import StoreAccounts

extension Order {
  /// The account and the app that it was made in.
  var customer: Customer { Customer(account: accountID, app: appID) }
}
