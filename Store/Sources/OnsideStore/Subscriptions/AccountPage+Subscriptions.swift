import Foundation
import OnsideAPI
import OnsideCommerce

extension AccountPage {
  /// A subscription, with the way to the page of its own.
  struct Subscription: Sendable {
    var title: String
    var state: String
    var stateClass: String
    var detail: String
    /// Where its next period can be paid by hand; nil while nothing is unpaid.
    var payAddress: String?
    /// Where it is changed, paused and stopped.
    var address: String
  }
}

extension AccountPage.Subscription {
  /// - Parameters:
  ///   - payAddress: of the page of its unpaid next period.
  ///   - back: the app that has opened the screen.
  init(_ current: CurrentSubscription, payAddress: String?, back: PageReturn? = nil, texts: Texts) {
    let view = SubscriptionView(current, texts: texts)
    self.init(
      title: current.lastOrder.product.message.title, state: view.state.text, stateClass: view.state.style,
      detail: view.lead, payAddress: payAddress,
      address: SubscriptionPageRoutes.Place(current.subscription.key, back: back).path())
  }
}
