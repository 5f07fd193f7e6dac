import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreWeb

extension AccountPage {
  /// A subscription, with the way to the page of its own.
  struct Subscription: Sendable {
    var title: String
    var state: String
    var stateClass: String
    var detail: String
    /// The name of the payment method that renewals are charged to; nil without one.
    var method: String?
    /// Where its next period can be paid by hand; nil while nothing is unpaid.
    var payAddress: String?
    /// Where it is changed, paused and stopped.
    var address: String
  }
}

extension AccountPage.Subscription {
  /// - Parameters:
  ///   - payAddress: of the page of its unpaid next period.
  ///   - method: the name of its payment method.
  ///   - back: the app that has opened the screen.
  init(_ current: CurrentSubscription, payAddress: String?, method: String?, back: PageReturn? = nil, texts: Texts) {
    let view = SubscriptionView(current, texts: texts)
    self.init(
      title: current.lastOrder.product.message.title, state: view.state.text, stateClass: view.state.style,
      detail: view.lead, method: method, payAddress: payAddress,
      address: SubscriptionPageRoutes.Place(current.subscription.key, back: back).path())
  }
}
