import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Renewals that are not paid at once.
@Suite("Renewals that fail", .timeLimit(.minutes(5)))
struct DunningTests {
  /// A subscription whose card is replaced by another one, at the end of its first period.
  private func renewed(
    with card: SandboxCard?, _ body: @escaping @Sendable (Subscriber, _ end: Date) async throws -> Void
  ) async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      try await shopper.replaceCards(by: card)
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end)
      try await body(subscriber, end)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-2: a refused card is tried every three days, and money within the grace period keeps the date")
  func grace() async throws {
    try await renewed(with: .declined) { subscriber, end in
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      try await subscriber.pass(days: 7)
      let renewal = try #require(try await subscriber.renewals().first)
      let paymentCount = try await subscriber.shopper.store.payments(of: OrderID(renewal.id)).count
      #expect(paymentCount == 3)
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 3)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.id) == [renewal.id], "every try is a payment of one order")
      #expect(renewals.map(\.expiresAt) == [Period.oneMonth.adding(to: end)])
    }
  }

  @Test("RST-1, ENT-5: what is in its grace period is restored, not behind it; each step is news for devices")
  func restored() async throws {
    try await renewed(with: .declined) { subscriber, end in
      let shopper = subscriber.shopper
      _ = try await shopper.finish(subscriber.purchase.id)
      let graced = try await shopper.sync()
      #expect(graced.orders.map(\.id) == [subscriber.purchase.id])
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [subscriber.purchase.id])
      try await subscriber.pass(to: end + 17 * 86_400)
      let restorable = try await shopper.restorable()
      #expect(restorable == [])
      let later = try await shopper.sync(graced.cursor)
      #expect(later.orders.isEmpty && later.cursor != graced.cursor)
      #expect(try await subscriber.setAutoRenew(false))
      let over = try await shopper.sync(later.cursor)
      #expect(over.orders.allSatisfy { $0.state == .cancelled } && over.cursor != later.cursor)
    }
  }

  @Test("SUB-2: a product has a grace period of its own, or none", arguments: [0, 3, 28])
  func graceOfProduct(days: Int) async throws {
    try await PlanShop.open { shopper in
      try await shopper.store.core.catalogue.replace(try PlanShop.catalogue(graceDays: days), of: TestShop.app.id)
      let subscriber = try await shopper.subscribe(to: "basic")
      let end = try #require(subscriber.purchase.expiresAt)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: end + Double(days) * 86_400 - 1)
      let stage = try await subscriber.machine().stage
      #expect(stage == (days == 0 ? .active : .grace))
      try await subscriber.pass(to: end + Double(days) * 86_400)
      let secondStage = try await subscriber.machine().stage
      #expect(secondStage == .retry)
    }
  }

  @Test("SUB-2: money after the grace period begins a new date")
  func retry() async throws {
    try await renewed(with: .declined) { subscriber, end in
      try await subscriber.pass(to: end + 17 * 86_400)
      let stage = try await subscriber.machine().stage
      #expect(stage == .retry)
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 3)
      let paid = try #require(try await subscriber.renewals().first?.paidAt)
      let actualEnd = try await subscriber.machine().period?.end
      #expect(actualEnd == Period.oneMonth.adding(to: paid))
    }
  }

  @Test("SUB-2: what is not paid for sixty days is over, its order is cancelled, and nothing more is charged")
  func never() async throws {
    try await renewed(with: .declined) { subscriber, _ in
      try await subscriber.pass(days: 61)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.billingError))
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .cancelled)
      let tries = try await subscriber.shopper.store.payments(of: OrderID(renewal.id)).count
      #expect(tries == 21)
      try await subscriber.pass(days: 100)
      let paymentCount = try await subscriber.shopper.store.payments(of: OrderID(renewal.id)).count
      #expect(paymentCount == tries)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
    }
  }

  @Test("SUB-2: without a method access ends with the period, and nothing is tried; a chosen card begins a new date")
  func newCard() async throws {
    try await renewed(with: nil) { subscriber, end in
      let stage = try await subscriber.machine().stage
      #expect(stage == .retry)
      let restorable = try await subscriber.shopper.restorable()
      #expect(restorable == [])
      let (store, account) = (subscriber.shopper.store, subscriber.shopper.accountID)
      try await store.save(.declined, of: account)
      let card = try await store.save(.succeeds, of: account)
      try await subscriber.pass(days: 5)
      let renewal = try #require(try await subscriber.renewals().first)
      let payments = try await store.payments(of: OrderID(renewal.id))
      #expect(payments.isEmpty)
      #expect(try await subscriber.setMethod(card))
      try await store.core.deliverOutbox()
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == [Period.oneMonth.adding(to: end + 5 * 86_400)])
    }
  }

  @Test("SUB-2: a card that is chosen while another one is asked is tried at once when that one is declined")
  func cardInTime() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      try await shopper.replaceCards(by: .neverSettles)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      #expect(try await subscriber.setMethod(try await store.save(.succeeds, of: shopper.accountID)))
      let payment = try #require(try await store.payments(of: renewal).first)
      let event = try await store.event("declined", payment: payment, order: renewal, with: shopper.client)
      #expect(event == .noContent)
      try await store.core.deliverOutbox()
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-17: a card that is chosen while another one is asked stays chosen when that one pays")
  func cardTooLate() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let card = try await store.save(.succeeds, of: shopper.accountID)
      #expect(try await subscriber.setMethod(card))
      try await store.settle()
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
      let method = try await store.core.dependencies.database.read { [key = subscriber.key] in
        try SubscriptionRecords.subscription(key, in: $0)?.method
      }
      #expect(method == card)
    }
  }

  @Test(
    "SUB-3: off and on again in the last hour, while the provider does not answer: charged at the end, without grace")
  func switchedOnAgain() async throws {
    try await PlanShop.open { shopper in
      let store = shopper.store
      try await store.core.catalogue.replace(try PlanShop.catalogue(graceDays: 0), of: TestShop.app.id)
      let subscriber = try await shopper.subscribe(to: "basic")
      let end = try #require(subscriber.purchase.expiresAt)
      store.advance(by: .seconds((end - 3600).timeIntervalSince(store.clock.now())))
      // The charge is asked for, and has not left the store.
      try await store.core.subscriptions.passTime()
      #expect(try await subscriber.setAutoRenew(false))
      try await store.core.deliverOutbox()
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      #expect(try await subscriber.setAutoRenew(true))
      try await subscriber.pass(to: end)
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.paid])
      let start = try await subscriber.machine().period?.start
      #expect(start == end)
    }
  }

  @Test("SUB-2: a card whose bank asks the buyer waits for the buyer, who confirms the same payment on its page")
  func secondStep() async throws {
    try await renewed(with: .secondStep) { subscriber, end in
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      let (renewal, store) = (try #require(try await subscriber.renewals().first), subscriber.shopper.store)
      try await subscriber.pass(days: 6)
      let paymentCount = try await store.payments(of: OrderID(renewal.id)).count
      #expect(paymentCount == 1, "no try without the buyer")
      let token = store.core.orders.json.tokens.token(orderID: renewal.id)
      let awaitsSecondStep = try await store.core.payments.page(token)?.awaitsSecondStep
      #expect(awaitsSecondStep == true)
      let outcome = try await store.core.payments.confirmSecondStep(token)
      #expect(outcome == .paid)
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == [Period.oneMonth.adding(to: end)])
    }
  }

  @Test("SUB-2: the buyer pays an unpaid period by hand, with any card, on its page")
  func byHand() async throws {
    try await renewed(with: .declined) { subscriber, end in
      let (renewal, store) = (try #require(try await subscriber.renewals().first), subscriber.shopper.store)
      let token = store.core.orders.json.tokens.token(orderID: renewal.id)
      let page = try #require(try await store.core.payments.page(token))
      #expect(page.state == .open)
      let outcome = try await store.core.payments.pay(
        token, with: .offered(SandboxCard.succeeds.rawValue, save: true, keep: true), shownPrice: page.price)
      #expect(outcome == .paid)
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == [Period.oneMonth.adding(to: end)])
      try await subscriber.pass(days: 25)
      let stage = try await subscriber.machine().stage
      #expect(stage == .active)
    }
  }

  @Test("SUB-2: the cancel button of an unpaid period's page gives nothing up")
  func notCancelled() async throws {
    try await renewed(with: .declined) { subscriber, end in
      let (renewal, store) = (try #require(try await subscriber.renewals().first), subscriber.shopper.store)
      try await store.core.payments.cancel(store.core.orders.json.tokens.token(orderID: renewal.id))
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 3)
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == [Period.oneMonth.adding(to: end)])
    }
  }

  @Test("SUB-2: money that comes when the subscription is over goes back")
  func late() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, core) = (try await shopper.subscribe(), shopper.store.core)
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .processing)
      try await core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await shopper.store.settle()
      #expect(try await shopper.store.hasGivenBack(OrderID(renewal.id)))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.cancelled])
      let isSubscribed = try await subscriber.machine().isSubscribed
      #expect(isSubscribed == false)
    }
  }

  @Test("SUB-2: the plan bought again in the grace period pays the due period: date and series go on")
  func boughtAgain() async throws {
    try await renewed(with: .declined) { subscriber, end in
      try await subscriber.pass(days: 15)
      let again = try await subscriber.shopper.subscribe()
      let period = try #require(try await again.machine().period)
      #expect(period.start == end && period.end == Period.oneMonth.adding(to: end))
      #expect(again.purchase.expiresAt == period.end)
      #expect(again.purchase.originalOrderID == subscriber.purchase.id)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.cancelled])
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 31)
      let renewal = try #require(try await subscriber.renewals().last)
      #expect(renewal.originalOrderID == subscriber.purchase.id.uuid && renewal.state.stage == .paid)
    }
  }
}
