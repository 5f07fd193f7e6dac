/// Names a subscription: an account has one in each group of an app.
public struct SubscriptionKey: Sendable, Hashable {
  /// The account, a UUID in lower case.
  public let account: String
  /// The app that sells it.
  public let app: String
  /// The subscription group.
  public let group: String

  /// The subscription of an account in a group of an app.
  public init(account: String, app: String, group: String) {
    (self.account, self.app, self.group) = (account, app, group)
  }
}
