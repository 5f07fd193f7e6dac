import StoreBase
import StoreWeb

/// The account's subscriptions in one app, for a screen that the app has opened.
package struct SubscriptionListPage: Page {
  var subscriptions: [AccountPage.Subscription]
  /// The way back into the app.
  var back: PageLink?

  static let frame = PageFrame.medium
  func title(_ texts: Texts) -> String { texts[.subscriptionsTitle] }

  static let template = String(embedded: PackageResources.SubscriptionListPage_mustache)
  static let parts = SubscriptionPageParts.list
}
