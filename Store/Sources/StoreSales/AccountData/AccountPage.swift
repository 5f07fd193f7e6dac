import StoreBase
import StoreWeb

/// A person's own page: number, region, purchases, the way out.
package struct AccountPage: Page {
  struct Purchase: Sendable {
    var title: String
    var detail: String
    var state: String
    var stateClass: String
    var address: String?
    /// The way to its request for a refund; nil when there is nothing to ask for.
    var refund: PageLink?
  }

  struct Session: Sendable {
    var id: String
    var title: String
    var device: String
    var times: String
    var isCurrent: Bool
  }

  var number: String
  var regions: [PageOption]
  var saved: String?
  var error: String?
  var subscriptions: [Subscription]
  var sessions: [Session]
  var purchases: [Purchase]
  /// True when there is something to end beside this browser.
  var hasOthers: Bool
  var hasSubscriptions: Bool

  init(
    number: String, regions: [PageOption], saved: String?, error: String?, subscriptions: [Subscription],
    sessions: [Session], purchases: [Purchase]
  ) {
    (self.number, self.regions, self.saved, self.error) = (number, regions, saved, error)
    (self.subscriptions, self.sessions, self.purchases) = (subscriptions, sessions, purchases)
    hasSubscriptions = !subscriptions.isEmpty
    hasOthers = sessions.contains { !$0.isCurrent }
  }

  static let frame = PageFrame.medium
  func title(_ texts: Texts) -> String { texts[.accountTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.AccountPage_mustache)
  static let parts = SubscriptionPageParts.list
}
