import Foundation
import OnsideAPI
import OnsideCommerce

/// The page on which a developer plays the user who manages subscriptions. Without screens the user changes nothing.
extension LocalDevice {
  /// Nothing is bought on this page, so that it has no use for the token.
  func presentSubscriptions(
    group: String?, appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    if local.isOffline { throw .connection }
    guard let account = signedIn?.accountID else { throw .notSignedIn }
    guard person == nil, !local.settings.disableDialogs else { return }
    let first = local.look { shop, now in shop.subscriptionsPage(of: account, group: group, at: now) }
    _ = try await showing(.subscriptions, logger: dependencies.logger) {
      try await LocalScreen(sleep: dependencies.sleep, randomBytes: dependencies.randomBytes)
        .show(.subscriptions, on: screens, first: first) { [local] form -> LocalScreen.Step<Void> in
          guard let choice = LocalPage.RenewalChoice(form) else { return .cancelled }
          return local.control { shop, now in
            shop.switchAutoRenew(on: choice.isOn, group: choice.group, of: account, at: now)
            return .page(shop.subscriptionsPage(of: account, group: group, at: now))
          }
        }
    }
  }
}

extension LocalShop {
  fileprivate mutating func switchAutoRenew(on: Bool, group: String, of account: AccountID, at now: Date) {
    let index = book.subscriptions.firstIndex { $0.owner == account && $0.groupID == group }
    guard let index, book.subscriptions[index].machine.isSubscribed else { return }
    // What cannot be switched the page shows as it is.
    try? switchRenewal(of: index, on: on, at: now)
  }

  fileprivate func subscriptionsPage(of account: AccountID, group: String?, at now: Date) -> LocalPage {
    let all = subscriptions(of: account, at: now).subscriptions.filter { group == nil || $0.groupID == group }
    return .subscriptions(
      all.map { message in
        let product = message.productID.flatMap { catalogue[$0] }
        let title = product.flatMap { self.message(of: $0, for: account, at: now)?.title }
        return (title ?? message.groupID, message)
      })
  }
}

extension LocalPage {
  /// What the page's button asks for.
  fileprivate struct RenewalChoice: Sendable {
    let isOn: Bool
    let group: String

    init?(_ form: [String: String]) {
      guard let group = form["group"], let renewal = form["renewal"] else { return nil }
      (self.isOn, self.group) = (renewal == "on", group)
    }
  }

  /// The page of an account's subscriptions.
  fileprivate static func subscriptions(_ all: [(title: String, message: SubscriptionMessage)]) -> LocalPage {
    let list = all.map { title, message in
      """
      <h2>\(escape(title))</h2><p>\(escape(words(for: message)))</p>\(button(for: message))
      """
    }
    return LocalPage(
      "Subscriptions",
      content: all.isEmpty ? "<p>There is no subscription here.</p>" : list.joined(separator: "\n"),
      "<form method=\"post\"><p><button>Done</button></p></form>")
  }

  private static func words(for message: SubscriptionMessage) -> String {
    let end = message.expiresAt.map { "until \($0.ISO8601Format())" } ?? ""
    let next = message.nextPrice.map { ", then \($0.formatted)" } ?? ""
    return "\(message.state.rawValue) \(end)\(message.willRenew ? next : "")"
  }

  private static func button(for message: SubscriptionMessage) -> String {
    guard message.state != .expired, message.state != .revoked, message.state != .none else { return "" }
    let (value, label) = message.willRenew ? ("off", "Stop renewing") : ("on", "Renew again")
    return """
      <form method="post"><input type="hidden" name="group" value="\(escape(message.groupID))">\
      <p><button name="renewal" value="\(value)">\(label)</button></p></form>
      """
  }
}
