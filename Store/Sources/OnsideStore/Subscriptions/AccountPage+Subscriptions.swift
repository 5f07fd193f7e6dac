import Foundation
import OnsideAPI
import OnsideCommerce

extension AccountPage {
  /// A subscription, with a button that switches its renewal off or on.
  struct Subscription: Sendable {
    var title: String
    var state: String
    var stateClass: String
    var detail: String
    /// Where its next period can be paid by hand; nil while nothing is unpaid.
    var payAddress: String?
    var app: String
    var group: String
    /// What the button asks for: `on` or `off`.
    var wish: String
    var wishLabel: String
  }
}

extension AccountPage.Subscription {
  /// - Parameter payAddress: of the page of its unpaid next period.
  init(_ current: CurrentSubscription, payAddress: String?, texts: Texts) {
    let (machine, order) = (current.subscription.machine, current.lastOrder)
    let isPaid = machine.stage == .active || machine.stage == .due
    let (state, style): (TextKey, String) =
      switch machine.stage {
      case .active: machine.autoRenews ? (.stateActive, "good") : (.stateEnding, "plain")
      case .due: (.stateProcessing, "")
      default: (.stateUnpaid, "")
      }
    let wish: TextKey =
      machine.autoRenews ? (isPaid ? .subscriptionStop : .subscriptionEndNow) : .subscriptionResume
    self.init(
      title: order.product.message.title, state: texts[state], stateClass: style,
      detail: Self.detail(machine, of: order, texts: texts), payAddress: payAddress,
      app: current.subscription.key.app, group: current.subscription.key.group,
      wish: machine.autoRenews ? "off" : "on", wishLabel: texts[wish])
  }

  private static func detail(_ machine: SubscriptionMachine, of order: Order, texts: Texts) -> String {
    func day(_ date: Date?) -> String { date.map { texts.day($0, in: order.country).isolated } ?? "" }
    let end = machine.period?.end
    switch machine.stage {
    case .grace: return texts(.subscriptionGrace, ["date": day(machine.entitledUntil)])
    case .retry: return texts[.subscriptionRetry]
    default:
      let language = order.language ?? texts.language.rawValue
      let price = machine.nextPrice?.formatted(country: order.country, language: language) ?? ""
      guard machine.stage == .active else { return price.isolated }
      guard machine.autoRenews else { return texts(.subscriptionEnds, ["date": day(end)]) }
      return texts(.subscriptionRenews, ["price": price.isolated, "date": day(end)])
    }
  }
}
