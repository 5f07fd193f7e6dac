import OnsideCommerce
import OnsideVerify
import StoreWeb

/// An account in one of its apps: whose orders a request is about.
package struct Customer: Hashable, Sendable {
  /// The account, a UUID in lower case.
  package var account: String
  /// The app's id.
  package var app: String

  package init(account: String, app: String) {
    self.account = account
    self.app = app
  }

  /// The pseudonym of the account in the app.
  package var subject: String { EntitlementList.subject(account: account, app: app) }

  /// Its subscription in a group.
  package func subscription(in group: String) -> SubscriptionKey {
    SubscriptionKey(account: account, app: app, group: group)
  }
}

extension AccessClaims {
  /// The account and the app that the token is for.
  package var customer: Customer { Customer(account: accountID, app: appID) }
}
