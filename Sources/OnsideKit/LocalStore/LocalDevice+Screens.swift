import Foundation
import OnsideAPI
import OnsideCommerce

/// The local store's screens. With `_disableDialogs` there are none, and the user always agrees.
extension LocalDevice {
  private var screen: LocalScreen { LocalScreen(sleep: dependencies.sleep, randomBytes: dependencies.randomBytes) }
  private var showsScreens: Bool { !local.settings.disableDialogs }

  /// The name that the user logs in under; nil when they close the page.
  func chooseAccount(on screens: any ScreenPresenter) async throws(StoreError) -> String? {
    if let person { return await person.logsIn(suggesting: LocalStore.defaultAccount) }
    guard showsScreens else { return LocalStore.defaultAccount }
    return try await showing(.login, logger: dependencies.logger) {
      try await screen.show(.login, on: screens, first: .login(suggesting: LocalStore.defaultAccount)) { form in
        guard LocalPage.Act(form) == .go else { return .cancelled }
        let name = (form["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty || name.count > 64 ? .page(.login(suggesting: LocalStore.defaultAccount)) : .done(name)
      }
    }
  }

  /// Its page is served by the screen itself, so that it is gone whichever way the screen ended.
  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd {
    try await showPayment(of: order, on: screens)
    return .closed
  }

  private func showPayment(of order: OrderMessage, on screens: any ScreenPresenter) async throws(StoreError) {
    if local.isOffline { throw .connection }
    if let person { return await pay(order, as: person) }
    guard showsScreens else { return await payWithoutScreens(order.id) }
    _ = try await showing(.payment, logger: dependencies.logger) {
      try await screen.show(.payment, on: screens, first: .payment(order)) { [local] form in
        local.control { shop, _ in shop.paymentStep(of: order, LocalPage.Act(form)) }
      } settle: { [local] outcome in
        local.change { shop, now in shop.settle(order.id, with: outcome, at: now) }
        await local.save()
      }
    }
  }

  private func payWithoutScreens(_ id: OrderID) async {
    local.change { shop, now in
      guard shop.declineReason == nil, shop.nextFailure(of: .purchase) == nil else { return }
      shop.settle(id, with: shop.obstacle.map(LocalPaymentOutcome.waits) ?? .paid, at: now)
    }
    await local.save()
  }
}

/// What comes of a payment page.
enum LocalPaymentOutcome: Hashable, Sendable {
  case paid
  case waits(LocalOrder.Waiting)
  case cancelled
}

extension LocalShop {
  /// Why the settings decline every payment.
  var declineReason: String? {
    if settings.failTransactionsEnabled { return "The payment failed, because Fail Transactions is on." }
    if settings.billingIssuesEnabled { return "The payment was declined, because Billing Issues is on." }
    return nil
  }

  /// What keeps a payment from going through at once.
  var obstacle: LocalOrder.Waiting? {
    interruptsPurchases ? .issue : settings.askToBuyEnabled ? .approval : nil
  }

  /// What follows a button of a payment page.
  mutating func paymentStep(of order: OrderMessage, _ act: LocalPage.Act?) -> LocalScreen.Step<LocalPaymentOutcome> {
    switch act {
    case .go?:
      if let reason = declineReason { return .page(.payment(order, problem: reason)) }
      if nextFailure(of: .purchase) != nil {
        return .page(.payment(order, problem: "The payment failed, because Purchase is set to fail."))
      }
      switch obstacle {
      case .approval?: return .page(.approval(order))
      case .issue?: return .page(.interruption(order))
      case nil: return .done(.paid)
      }
    case .allow?: return .done(.paid)
    case .later?: return .done(.waits(obstacle ?? .approval))
    case .cancel?, nil: return .done(.cancelled)
    }
  }

  mutating func settle(_ id: OrderID, with outcome: LocalPaymentOutcome, at now: Date) {
    switch outcome {
    case .paid: pay(id, at: now)
    case .waits(let waiting): setWaiting(id, for: waiting, at: now)
    case .cancelled: cancelUnpaid(id, because: .user, at: now)
    }
  }
}
