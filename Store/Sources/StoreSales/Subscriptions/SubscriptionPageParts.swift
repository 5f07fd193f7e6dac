import StoreBase

/// Pieces of pages with subscriptions.
enum SubscriptionPageParts {
  /// The hidden fields of a form about one subscription.
  static let fields = ["subscription": String(embedded: PackageResources.subscription_mustache)]
  /// The list of an account's subscriptions.
  static let list = ["subscriptions": String(embedded: PackageResources.subscriptions_mustache)]
}
