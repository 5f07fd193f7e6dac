import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Orders for the plan that their account has already. The plan is `basic` at € 9.99, paid until 10 February.
@Suite("The running plan is bought again", .timeLimit(.minutes(5)))
struct RunningPlanTests {
  /// An end of an open order other than its button.
  enum End: CaseIterable {
    case cancelledOnPage, cancelledByAPI, screenClosed, expired, paidOnOlderPage, foundByPage
  }

  @Test("SUB-23: with the renewal off the order stays open, and its button switches the renewal on without a charge")
  func renewalOff() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      let key = shopper.store.freshID()
      let order = try await shopper.order("basic", key: key)
      #expect(order.state == .open && order.duplicateOf == nil)
      let price = try await shopper.page(of: order).running?.price
      #expect(price?.plainText == "999 EUR")
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .renewed)
      #expect(try await subscriber.machine().autoRenews)
      try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id)
      let consents = try await subscriber.consents().count
      #expect(consents == 1, "the present consent has this plan and price")
      let repeated = try await shopper.order("basic", key: key)
      #expect(repeated.state == .open && repeated.id == order.id, "a repeated request has the first answer")
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [999])
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(history.map(\.transactionReason) == [.purchase, .renewal])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-23: the button withdraws the chosen plan and records one consent, also if the choice switched the renewal on",
    arguments: [true, false])
  func chosenPlan(wasOn: Bool) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      if !wasOn { #expect(try await subscriber.setAutoRenew(false)) }
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let order = try await shopper.order("basic")
      #expect(order.state == .open)
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .renewed)
      let machine = try await subscriber.machine()
      #expect(machine.nextPlan == nil && machine.autoRenews)
      try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id)
      let consents = try await subscriber.consents().map { "\($0.product) \($0.price.plainText) \($0.giver)" }
      #expect(consents == ["basic 999 EUR account", "small 499 EUR account", "basic 999 EUR account"])
      try await subscriber.pass(days: 32)
      let renewals = try await subscriber.renewals().map { "\($0.product.message.id) \($0.price.minorUnits)" }
      #expect(renewals == ["basic 999"])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-23: any other end makes the order a duplicate, and leaves the renewal as it is", arguments: End.allCases)
  func ends(_ end: End) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      try await shopper.end(order, by: end)
      try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id)
      #expect(try await !subscriber.machine().autoRenews)
      let consents = try await subscriber.consents().count
      #expect(consents == 1)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-23: a cancelled order leaves the chosen plan")
  func cancelledChoice() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let order = try await shopper.order("basic")
      try await shopper.end(order, by: .cancelledOnPage)
      try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id)
      let next = try await subscriber.machine().nextPlan?.productID
      #expect(next == "small")
    }
  }

  @Test("SUB-23: a price that has changed since the page changes nothing, and is the button's next price")
  func priceChanged() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 899]), of: TestShop.app.id)
      _ = try await core.subscriptions.reprice("basic", of: TestShop.app.id)
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .repriced(Money(minorUnits: 899, currency: .eur)))
      #expect(try await !subscriber.machine().autoRenews)
      let state = try await shopper.order(order.id).state
      #expect(state == .open)
      let secondOutcome = try await shopper.renew(order, at: 899)
      #expect(secondOutcome == .renewed)
      let prices = try await subscriber.consents().map(\.price.minorUnits)
      #expect(prices == [999, 899])
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [899])
    }
  }

  @Test("SUB-23: a chosen plan hides a price question; the button at the asked price answers it, with one consent")
  func askedPrice() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let asked = try await subscriber.reprice(to: 1599)
      #expect(asked == .asked)
      let duplicate = try await shopper.order("basic")
      #expect(duplicate.duplicateOf == subscriber.purchase.id, "the renewal is on and no plan is chosen")
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let order = try await shopper.order("basic")
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .repriced(Money(minorUnits: 1599, currency: .eur)))
      let secondOutcome = try await shopper.renew(order, at: 1599)
      #expect(secondOutcome == .renewed)
      let prices = try await subscriber.consents().map(\.price.minorUnits)
      #expect(prices == [999, 499, 1599])
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [1599])
    }
  }

  @Test("SUB-23: a planned pause alone is no reason for the page, and stays when a chosen plan is withdrawn")
  func plannedPause() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.core.subscriptions.pause(months: 2, of: subscriber.key))
      let duplicate = try await shopper.order("basic")
      #expect(duplicate.duplicateOf == subscriber.purchase.id)
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let order = try await shopper.order("basic")
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .renewed)
      let machine = try await subscriber.machine()
      #expect(machine.nextPlan == nil && machine.plannedPauseEnd == "04-10".midnight)
    }
  }

  @Test("SUB-23: without a payment method the order is a duplicate at once, and while a renewal is with its provider")
  func noMethod() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      try await shopper.replaceCards(by: nil)
      let order = try await shopper.order("basic")
      #expect(order.state == .paid && order.duplicateOf == subscriber.purchase.id)
    }
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.chargeEarly()
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      #expect(order.duplicateOf == subscriber.purchase.id)
    }
  }

  @Test("SUB-23: another person's card renews the plan up to that person's price; beyond it there is no button")
  func otherPersonsCard() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic", isOwners: false)
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .renewed)
      let givers = try await subscriber.consents().map(\.giver)
      #expect(givers == [.payer])
      #expect(try await subscriber.setAutoRenew(false))
      try await shopper.store.core.dependencies.database.write {
        try $0.execute("UPDATE subscription_consents SET amount = 900")
      }
      let second = try await shopper.order("basic")
      #expect(second.state == .paid && second.duplicateOf == subscriber.purchase.id)
    }
  }

  @Test("SUB-23: of two devices' orders the first button switches the renewal on; the second order is a duplicate, too")
  func twoDevices() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let orders = [
        try await shopper.order("basic"), try await shopper.order("basic"), try await shopper.order("basic"),
      ]
      for order in orders.prefix(2) {
        let outcome = try await shopper.renew(order, at: 999)
        #expect(outcome == .renewed)
      }
      #expect(try await shopper.page(of: orders[2]).isOwnedPlan)
      try await shopper.end(orders[2], by: .cancelledOnPage)
      for order in orders { try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id) }
      #expect(try await subscriber.machine().autoRenews)
      let consents = try await subscriber.consents().count
      #expect(consents == 3)
    }
  }

  @Test("SUB-23: once the plan is taken back, its open order is an ordinary purchase at the catalogue's price")
  func ended() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      #expect(order.state == .open)
      try await shopper.store.core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await shopper.store.core.deliverOutbox()
      let page = try await shopper.page(of: order)
      #expect(page.running == nil && !page.isOwnedPlan)
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .ordinary)
      let read = try await shopper.endOwnedPlan(order)
      #expect(read == .ordinary)
      #expect(try await !subscriber.machine().autoRenews)
      let payment = try await shopper.agree(to: order)
      #expect(payment == .paid)
      let bought = try await shopper.order(order.id)
      #expect(bought.duplicateOf == nil && bought.price.amount == 999)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-23: a button that comes too late ends the order, and tells that the plan is not renewed")
  func tooLate() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let end = try #require(subscriber.purchase.expiresAt)
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      try await subscriber.pass(to: end - 3900)
      let order = try await shopper.order("basic")
      #expect(order.state == .open)
      let read = try await shopper.endOwnedPlan(order)
      #expect(read == .ordinary, "its page can renew the plan")
      try await subscriber.pass(to: end - 3500)
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .unchanged)
      try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id)
      let renewals = try await subscriber.renewals().map { "\($0.product.message.id) \($0.price.minorUnits)" }
      #expect(renewals == ["small 499"])
    }
  }

  @Test("SUB-23: the button of an order that was cancelled before leaves the renewal off, and says so")
  func cancelledBefore() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      #expect(try await shopper.store.core.payments.cancel(try #require(order.paymentURL?.lastPathComponent)))
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .unchanged)
      let autoRenews = try await subscriber.machine().autoRenews
      #expect(!autoRenews)
    }
  }

  @Test("SUB-23: from the time of the next charge on, and after a declined one, the order is a duplicate at once")
  func lastHour() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let end = try #require(subscriber.purchase.expiresAt)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(to: end - 3600)
      let order = try await shopper.order("basic")
      #expect(order.duplicateOf == subscriber.purchase.id)
    }
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      try await subscriber.chargeEarly()
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.order("basic")
      #expect(order.duplicateOf == subscriber.purchase.id)
    }
  }

  @Test("SUB-23: a device that has not delivered the plan is told of the duplicate, which it delivers")
  func sync() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      let cursor = try await shopper.sync().cursor
      let order = try await shopper.order("basic")
      let outcome = try await shopper.renew(order, at: 999)
      #expect(outcome == .renewed)
      let told = try await shopper.sync(cursor).orders.filter { $0.id == order.id }
      #expect(told.map(\.finished) == [false] && told.map(\.duplicateOf) == [subscriber.purchase.id])
    }
  }
}

extension Shopper {
  private func token(of order: OrderMessage) throws -> String { try #require(order.paymentURL?.lastPathComponent) }

  func page(of order: OrderMessage) async throws -> PaymentPage {
    try #require(try await store.core.payments.page(try token(of: order)))
  }

  func renew(_ order: OrderMessage, at cents: Int64) async throws -> PlanRenewal {
    try await store.core.payments.renewPlan(
      try token(of: order), shownPrice: Money(minorUnits: cents, currency: .eur))
  }

  func endOwnedPlan(_ order: OrderMessage) async throws -> PlanRenewal {
    try await store.core.payments.endOwnedPlan(try token(of: order))
  }

  fileprivate func end(_ order: OrderMessage, by end: RunningPlanTests.End) async throws {
    let core = store.core
    let customer = Customer(account: accountID, app: TestShop.app.id)
    switch end {
    case .cancelledOnPage: #expect(try await core.payments.cancel(try token(of: order)))
    case .cancelledByAPI: _ = try await core.orders.cancel(order.id.uuid, because: .user, for: customer)
    case .screenClosed: _ = try await core.orders.cancel(order.id.uuid, because: .screenClosed, for: customer)
    case .expired:
      store.advance(by: .seconds(core.dependencies.configuration.orderLifetime + 1))
      let page = try await page(of: order)
      #expect(page.running == nil && page.isOwnedPlan)
      let expired = try await core.orders.expireOpenOrders()
      #expect(expired == 1)
    case .paidOnOlderPage:
      let outcome = try await agree(to: order)
      #expect(outcome == .paid)
    case .foundByPage:
      try await store.move(accountID, to: "DE")
      let outcome = try await agree(to: order)
      #expect(outcome == .storefrontChanged)
    }
  }

  /// Expects a duplicate that has charged nothing.
  func requireDuplicate(_ id: OrderID, of running: OrderID) async throws {
    let order = try await order(id)
    #expect(order.state == .paid && !order.finished && order.duplicateOf == running && order.cancelReason == nil)
    #expect(order.receipt != nil)
    let payments = try await store.payments(of: id)
    #expect(payments.isEmpty)
  }
}

extension Subscriber {
  /// Asks for the next charge at once, days before its time, so that the last hour does not decide.
  fileprivate func chargeEarly() async throws {
    let core = shopper.store.core
    #expect(try await core.subscriptions.runNextEvent(of: key))
    try await core.deliverOutbox()
    #expect(try await machine().isBeingRenewed)
  }
}
