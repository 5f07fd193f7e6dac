import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// The payment method of a subscription in the sandbox: choice, removal, and renewals without one.
@Suite("The payment method of a subscription", .timeLimit(.minutes(5)))
struct SubscriptionMethodTests {
  /// A subscription whose saved card is replaced by another one.
  private func subscribed(
    with card: SandboxCard = .succeeds,
    _ body: @escaping @Sendable (_ subscriber: Subscriber, _ method: String, _ end: Date) async throws -> Void
  ) async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      try await shopper.replaceCards(by: card)
      let saved = try #require(try await shopper.store.core.payments.methods(of: shopper.accountID).first)
      try await body(subscriber, saved.id, try #require(subscriber.purchase.expiresAt))
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-17: an unpaid subscription whose declined card is removed waits for another card, which pays when it is chosen",
    arguments: [(1.0, SubscriptionMachine.Stage.grace), (20, .retry)])
  func removedWhileUnpaid(days: Double, stage: SubscriptionMachine.Stage) async throws {
    try await subscribed(with: .declined) { subscriber, declined, end in
      let (store, account) = (subscriber.shopper.store, subscriber.shopper.accountID)
      try await subscriber.pass(to: end + days * 86_400)
      let card = try await store.save(.succeeds, of: account)
      #expect(try await store.core.payments.remove(declined, of: account))
      try await store.core.deliverOutbox()
      let machine = try await subscriber.machine()
      #expect(machine.stage == stage && machine.autoRenews)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open], "no other card is charged")
      #expect(try await subscriber.setMethod(card))
      try await store.core.deliverOutbox()
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.paid])
    }
  }

  @Test("SUB-17: a card that is refused in the hour before the end and then removed leaves the renewal to another card")
  func removedInTheHour() async throws {
    try await subscribed(with: .declined) { subscriber, declined, end in
      let (store, account) = (subscriber.shopper.store, subscriber.shopper.accountID)
      try await subscriber.pass(to: end - 1800)
      let refused = try await subscriber.machine()
      #expect(refused.stage == .active && refused.isUnpaid)
      #expect(try await store.core.payments.remove(declined, of: account))
      let renews = try await subscriber.machine().autoRenews
      #expect(renews)
      #expect(try await subscriber.setMethod(try await store.save(.succeeds, of: account)))
      try await store.core.deliverOutbox()
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-17: a pause that has no card is not ended by hand")
  func resumedWithoutCard() async throws {
    try await subscribed { subscriber, card, end in
      let core = subscriber.shopper.store.core
      #expect(try await core.subscriptions.pause(months: 1, of: subscriber.key))
      try await subscriber.pass(to: end + 86_400)
      #expect(try await core.payments.remove(card, of: subscriber.shopper.accountID))
      let price = try #require(try await subscriber.machine().nextPrice)
      let isResumed = try await core.subscriptions.resume(shownPrice: price, of: subscriber.key)
      #expect(!isResumed)
      let stage = try await subscriber.machine().stage
      #expect(stage == .paused(until: Period.oneMonth.adding(to: end)))
    }
  }

  @Test("SUB-17: a renewal that is paid by hand without a card to charge again is the last one")
  func paidByHandWithoutCard() async throws {
    try await subscribed(with: .declined) { subscriber, declined, end in
      let core = subscriber.shopper.store.core
      try await subscriber.pass(to: end + 86_400)
      #expect(try await core.payments.remove(declined, of: subscriber.shopper.accountID))
      let renewal = try await subscriber.shopper.order(OrderID(try #require(try await subscriber.renewals().first).id))
      let token = try #require(renewal.paymentURL?.lastPathComponent)
      let outcome = try await core.payments.pay(
        token, with: .offered(SandboxCard.succeeds.rawValue, save: false, keep: false),
        shownPrice: renewal.price.money)
      #expect(outcome == .paid)
      let machine = try await subscriber.machine()
      #expect(machine.stage == .active && !machine.autoRenews)
    }
  }

  @Test("SUB-17: a paused subscription whose card is removed stays paused, and is unpaid after the pause")
  func removedWhilePaused() async throws {
    try await subscribed { subscriber, card, end in
      let core = subscriber.shopper.store.core
      #expect(try await core.subscriptions.pause(months: 1, of: subscriber.key))
      try await subscriber.pass(to: end + 86_400)
      #expect(try await core.payments.remove(card, of: subscriber.shopper.accountID))
      let machine = try await subscriber.machine()
      let until = Period.oneMonth.adding(to: end)
      #expect(machine.stage == .paused(until: until) && machine.autoRenews)
      try await subscriber.pass(to: until + 86_400)
      let stage = try await subscriber.machine().stage
      #expect(stage == .retry)
    }
  }

  @Test("SUB-17: a card that is removed while the period runs ends the renewal, which needs a card to be switched on")
  func removedWhileActive() async throws {
    try await subscribed { subscriber, card, _ in
      let (store, account) = (subscriber.shopper.store, subscriber.shopper.accountID)
      #expect(try await store.core.payments.remove(card, of: account))
      let machine = try await subscriber.machine()
      #expect(machine.stage == .active && !machine.autoRenews)
      let isOnWithoutCard = try await subscriber.setAutoRenew(true)
      #expect(!isOnWithoutCard)
      #expect(try await subscriber.setMethod(try await store.save(.succeeds, of: account)))
      #expect(try await subscriber.setAutoRenew(true))
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-17: the present card, when it is chosen once more, is not charged again", arguments: [true, false])
  func chosenTwice(isCharging: Bool) async throws {
    try await subscribed(with: isCharging ? .neverSettles : .declined) { subscriber, card, end in
      let store = subscriber.shopper.store
      try await subscriber.pass(to: end + 86_400)
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      #expect(try await subscriber.setMethod(card))
      try await store.core.deliverOutbox()
      let payment = try #require(try await store.payments(of: renewal).first)
      if isCharging {
        let event = try await store.event("declined", payment: payment, order: renewal, with: subscriber.shopper.client)
        #expect(event == .noContent)
        try await store.core.deliverOutbox()
      }
      let payments = try await store.payments(of: renewal)
      #expect(payments == [payment])
    }
  }

  @Test("SUB-17: a subscription that is paid with a method that cannot be charged again does not renew")
  func paidWithoutMethod() async throws {
    try await TestStore().shop { shopper in
      let (order, core) = (try await shopper.order("pro"), shopper.store.core)
      let token = try #require(order.paymentURL?.lastPathComponent)
      let outcome = try await core.payments.pay(
        token, with: .offered(SandboxCard.neverSettles.rawValue, save: false, keep: true),
        shownPrice: order.price.money)
      #expect(outcome == .pending)
      let payment = try #require(try await shopper.store.payments(of: order.id).first)
      let report = ChargeReport(id: payment, orderID: order.id.uuid, amount: order.price.money)
      _ = try await core.dependencies.database.write(at: shopper.store.clock.now()) {
        try core.payments.events.apply(.succeeded(report), from: "sandbox", in: $0)
      }
      let subscriber = Subscriber(shopper: shopper, purchase: try await shopper.order(order.id))
      let machine = try await subscriber.machine()
      #expect(machine.stage == .active && !machine.autoRenews)
    }
  }

  @Test("SUB-17: a renewal that a removed card pays in its second step leaves the subscription's card")
  func removedInSecondStep() async throws {
    try await subscribed(with: .declined) { subscriber, card, end in
      let (store, account) = (subscriber.shopper.store, subscriber.shopper.accountID)
      let payments = store.core.payments
      try await subscriber.pass(to: end + 86_400)
      let other = try await store.save(.secondStep, of: account)
      let renewal = try await subscriber.shopper.order(OrderID(try #require(try await subscriber.renewals().first).id))
      let token = try #require(renewal.paymentURL?.lastPathComponent)
      let outcome = try await payments.pay(token, with: .saved(other, keep: true), shownPrice: renewal.price.money)
      #expect(outcome == .secondStep)
      #expect(try await payments.remove(other, of: account))
      let secondOutcome = try await payments.confirmSecondStep(token)
      #expect(secondOutcome == .paid)
      let present = try await subscriber.method()?.id
      #expect(present == card)
    }
  }
}
