import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

@Suite("Stripe: what it tells, and refunds", .timeLimit(.minutes(5)))
struct StripeEventCaseTests {
  @Test("the event comes before the answer, and twice")
  func beforeAnswer() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      var policy = DeliveryPolicy()
      policy.copies = 2
      shop.stripe.setPolicy(policy)
      shop.stripe.sendFirst { await shop.take($0) }
      shop.stripe.next(.webhooksFirst, on: "POST payment_intents")
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .paid)
      try await shop.tell()
      #expect(try await shop.isBookedOnce(order))
    }
  }

  @Test("succeeded after payment_failed, told in the wrong order")
  func wrongOrder() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      var policy = DeliveryPolicy()
      policy.order = .reversed
      shop.stripe.setPolicy(policy)
      try await shop.pay(order, with: .offered("card", save: false))
      await #expect(throws: StripeError.self) { try await shop.enter("4000000000009995") }
      try await shop.enter()
      try await shop.tell()
      #expect(try await shop.isPaidOnce(order))
    }
  }

  @Test("an event that comes four days late, when the order is over: the money goes back")
  func late() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      var policy = DeliveryPolicy()
      policy.delay = 4 * 86_400
      shop.stripe.setPolicy(policy)
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      shop.store.advance(by: .seconds(4 * 86_400))
      let expired = try await shop.store.core.orders.expireOpenOrders()
      #expect(expired == 1)
      try await shop.tell()
      try await shop.later(10)
      shop.store.advance(by: .seconds(4 * 86_400))
      try await shop.tell()
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      let stage = try await shop.stage(order)
      #expect(stage == .cancelled)
      #expect(shop.stripe.payments.map(\.refunded) == [99])
    }
  }

  @Test("an event that was lost is found by the sweep of the next day")
  func lost() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      let sweep = ProviderEventSweep(
        events: shop.store.core.providerEvents, providers: shop.store.core.providers,
        dependencies: shop.store.core.dependencies.base)
      let first = try await sweep.sweepIfDue(try shop.provider)
      #expect(first == nil)
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      shop.stripe.loseDeliveries()
      let answers = try await shop.tell()
      #expect(answers == [])
      shop.store.advance(by: .seconds(86_400))
      let found = try await sweep.sweepIfDue(try shop.provider)
      #expect(found ?? 0 > 0)
      try await shop.store.core.deliverOutbox()
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      let paymentCount = try await shop.store.payments(of: order.id).count
      #expect(paymentCount == 1)
      let isBooked = try await !shop.store.ledger(order.id).isEmpty
      #expect(isBooked)
    }
  }

  @Test("the sweep asks for all types of events, and for no more at a time than Stripe takes")
  func allTypes() async throws {
    try await StripeStore.run { shop in
      let provider = try shop.provider
      var (cursor, parts) = (String?.none, 0)
      repeat {
        cursor = try await provider.notices(since: shop.clock.now(), after: cursor).cursor
        parts += 1
      } while cursor != nil && parts < 10
      #expect(parts == (StripePaymentProvider.eventTypes.count + 19) / 20)
      // The last of the types, payouts, is of the last part.
      let order = try await Self.paid(shop)
      shop.stripe.payOut()
      let first = try await provider.notices(since: shop.clock.now(), after: nil)
      let last = try await provider.notices(since: shop.clock.now(), after: first.cursor)
      #expect(last.cursor == nil && last.notices.count == 1)
      #expect(try await shop.isPaidOnce(order))
    }
  }

  @Test("refunds in two parts up to the whole; a third is refused")
  func parts() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let refunds = shop.store.core.refunds
      for amount: Int64 in [40, 59] {
        try await refunds.refund(order.id.uuid, amount: try TestShop.money(amount), because: .refund)
        try await shop.later(1)
      }
      #expect(shop.stripe.payments.map(\.refunded) == [99])
      await #expect(throws: (any Error).self) {
        try await refunds.refund(order.id.uuid, amount: try TestShop.money(1), because: .refund)
      }
      try await shop.tell()
      let states = try await refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.settled, .settled])
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund that fails after it had succeeded is booked back")
  func failsLater() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      try await shop.store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(40), because: .refund)
      try await shop.later(1)
      let before = try await shop.store.balances()
      try shop.stripe.failRefund(try #require(shop.stripe.refundIDs.first))
      try await shop.tell()
      let refund = try #require(try await shop.store.core.refunds.refunds(of: order.id.uuid).first)
      #expect(refund.state == .failed && refund.failure == "lost_or_stolen_card")
      let after = try await shop.store.balances()
      #expect((after["provider:stripe"] ?? 0) - (before["provider:stripe"] ?? 0) == 40)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund whose answer is lost is not made twice; one that takes its time settles with its event")
  func refundAnswers() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop, card: "4000000000007726")
      shop.stripe.next(.answerLost, on: "POST refunds")
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      for _ in 0..<3 { try await shop.later(10) }
      #expect(shop.stripe.refundIDs.count == 1)
      let states = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.asked])
      try shop.stripe.settleRefund(try #require(shop.stripe.refundIDs.first))
      try await shop.tell()
      let secondStates = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(secondStates == [.settled])
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund that Stripe answers with a 500, made or not, is made once", arguments: [true, false])
  func refundStoredFailure(wasMade: Bool) async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      shop.stripe.next(.serverError(afterEffect: wasMade), on: "POST refunds")
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      for _ in 0..<3 { try await shop.later(10) }
      #expect(shop.stripe.refundIDs.count == 1)
      let states = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.settled])
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund that the operator made at Stripe is booked, and only one of the whole takes the purchase away")
  func byHand() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let payment = try #require(shop.stripe.payments.first?.id)
      try shop.stripe.refundByHand(payment, amount: 40)
      try await shop.tell()
      let stage = try await shop.stage(order)
      #expect(stage == .paid)
      let minorUnits = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.amount.minorUnits)
      #expect(minorUnits == [40])
      try shop.stripe.refundByHand(payment, amount: 59)
      try await shop.tell()
      let revocation = try await shop.store.core.dependencies.database.read { [orders = shop.store.core.orders] in
        try orders.records.order(order.id.uuid, in: $0)?.state.revocation
      }
      #expect(revocation != nil)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund at Stripe of the same amount as one that waits is another one: both are booked, and compared")
  func sameAmount() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      shop.stripe.next(.rateLimited(retryAfter: 1), on: "POST refunds")
      try await shop.store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(40), because: .refund)
      try await shop.store.core.deliverOutbox()
      let byHand = try shop.stripe.refundByHand(try #require(shop.stripe.payments.first?.id), amount: 40)
      try await shop.tell()
      let refunds = try await shop.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.map(\.state).count == 2 && refunds.contains { $0.id == "stripe:\(byHand)" })
      for _ in 0..<3 { try await shop.later(60) }
      try await shop.tell()
      let states = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.settled, .settled])
      #expect(shop.stripe.payments.map(\.refunded) == [80])
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("STO-14: when an order is given up, its payment is cancelled at Stripe, and cannot be paid any more")
  func givenUp() async throws {
    try await StripeStore.run { shop in
      let (order, left) = (try await shop.order(), try await shop.order())
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.store.core.payments.cancel(try #require(order.paymentURL?.lastPathComponent))
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.payments.map(\.status) == ["canceled"])
      await #expect(throws: StripeError.self) { try await shop.enter() }
      try await shop.pay(left, with: .offered("card", save: false))
      shop.store.advance(by: .seconds(4 * 86_400))
      let expired = try await shop.store.core.orders.expireOpenOrders()
      #expect(expired == 1)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.payments.map(\.status) == ["canceled", "canceled"])
      let answers = try await shop.tell()
      #expect(answers.allSatisfy { $0 == 204 })
      let states = try await Self.states(shop)
      #expect(states == ["cancelled", "cancelled"])
      let waiting = try await shop.store.core.outboxStatus().waiting
      #expect(waiting == 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("STO-14: a try that another one has replaced is cancelled at Stripe, a declined one, too")
  func replacedTries() async throws {
    try await StripeStore.run { shop in
      let (order, saved) = (try await shop.order(), try await shop.save())
      try await shop.pay(order, with: .offered("card", save: false))
      try shop.stripe.decline(saved.details.reference, with: [Decline("insufficient_funds")])
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .declined)
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      let secondOutcome = try await shop.confirm(order)
      #expect(secondOutcome == .paid)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.payments.map(\.status) == ["canceled", "canceled", "succeeded"])
      try await shop.tell()
      #expect(try await shop.isPaidOnce(order))
    }
  }

  @Test("STO-14: a renewal that is declined while its subscription ends is cancelled at Stripe")
  func declinedAfterEnd() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order("pro"))
      let outcome = try await shop.pay(order, with: .saved(saved.id, keep: true))
      #expect(outcome == .paid)
      try await shop.tell()
      try shop.stripe.decline(saved.details.reference, with: [Decline("insufficient_funds")])
      // The purchase is refunded after Stripe has declined the renewal, and before its answer has arrived.
      shop.stripe.sendFirst { call in
        try? await shop.store.core.orders.refund(order.id.uuid, because: .refund)
        return await shop.take(call)
      }
      shop.stripe.next(.webhooksFirst, on: "POST payment_intents")
      let subscriber = Subscriber(shopper: shop.shopper, purchase: order)
      try await subscriber.pass(days: 31)
      for _ in 0..<2 { try await shop.later(10) }
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.cancelled])
      #expect(shop.stripe.payments.map(\.status) == ["succeeded", "canceled"])
      try await shop.tell()
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("STO-14: a payment that has succeeded before it could be cancelled pays its order, or goes back")
  func succeededMeanwhile() async throws {
    try await StripeStore.run { shop in
      let (open, given) = (try await shop.order(), try await shop.order())
      for order in [open, given] {
        try await shop.pay(order, with: .offered("card", save: false))
        try await shop.enter()
      }
      // The buyer goes back, and begins anew: the first try has been paid already.
      try await shop.pay(open, with: .offered("card", save: false))
      try await shop.store.core.payments.cancel(try #require(given.paymentURL?.lastPathComponent))
      for _ in 0..<3 { try await shop.later(1) }
      let stage = try await shop.stage(open)
      #expect(stage == .paid)
      let secondStage = try await shop.stage(given)
      #expect(secondStage == .cancelled)
      #expect(shop.stripe.payments.map(\.status) == ["succeeded", "succeeded", "canceled"])
      #expect(shop.stripe.payments.map(\.refunded) == [0, 99, 0])
      try await shop.tell()
      #expect(try await shop.isPaidOnce(open))
      let waiting = try await shop.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test(
    "a cancellation whose answer is lost, or that Stripe fails with, is repeated until it is done",
    arguments: [
      StripeFault.answerLost, .cutBefore, .serverError(afterEffect: true), .serverError(afterEffect: false),
      .rateLimited(retryAfter: 3),
    ])
  func cancellationFails(fault: StripeFault) async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: false))
      shop.stripe.next(fault, on: "POST payment_intents/*/cancel")
      try await shop.store.core.payments.cancel(try #require(order.paymentURL?.lastPathComponent))
      for _ in 0..<4 { try await shop.later(10) }
      #expect(shop.stripe.payments.map(\.status) == ["canceled"])
      let waiting = try await shop.store.core.outboxStatus().waiting
      #expect(waiting == 0)
      let states = try await Self.states(shop)
      #expect(states == ["cancelled"])
    }
  }

  @Test("a charge whose answer was lost, and whose order was paid otherwise meanwhile, is cancelled")
  func answerLostOfUnwanted() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      // The first try is paid, which the store has not heard yet; the second one's answer does not arrive.
      shop.stripe.next(.answerLost, on: "POST payment_intents")
      let outcome = try await shop.pay(order, with: .offered("card", save: false))
      #expect(outcome == .pending)
      try await shop.tell()
      for _ in 0..<3 { try await shop.later(10) }
      #expect(shop.stripe.payments.map(\.status) == ["succeeded", "canceled"])
      try await shop.tell()
      #expect(try await shop.isPaidOnce(order))
      let waiting = try await shop.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  /// The states of the store's payments, the oldest first.
  private static func states(_ shop: StripeStore) async throws -> [String] {
    try await shop.store.core.dependencies.database.read {
      try $0.rows("SELECT state FROM payments ORDER BY created_at, id").map { try $0.text("state") }
    }
  }

  /// An order that was given up before its card was entered.
  private static func paidTooLate(_ shop: StripeStore) async throws -> OrderMessage {
    let order = try await shop.order()
    try await shop.pay(order, with: .offered("card", save: false))
    shop.store.advance(by: .seconds(4 * 86_400))
    let expired = try await shop.store.core.orders.expireOpenOrders()
    #expect(expired == 1)
    try await shop.enter()
    return order
  }

  /// An order that was paid after it was given up, and whose refund has failed.
  private static func failedLateRefund(_ shop: StripeStore) async throws -> OrderMessage {
    let order = try await paidTooLate(shop)
    try await shop.tell()
    try await shop.later(10)
    try shop.stripe.failRefund(try #require(shop.stripe.refundIDs.first))
    try await shop.tell()
    return order
  }

  /// Looks into Stripe's list of events, if it is time.
  private static func sweep(_ shop: StripeStore) async throws {
    let core = shop.store.core
    try await ProviderEventSweep(
      events: core.providerEvents, providers: core.providers, dependencies: core.dependencies.base
    ).sweepIfDue(shop.provider)
  }

  @Test("PAY-4: the failed refund of a late payment is owed, is no refund of the price, and is repeated once")
  func lateRefundFails() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.failedLateRefund(shop)
      let states = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.failed])
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      let refunds = shop.store.core.refunds
      let owed = try await refunds.owed()
      #expect(owed.map(\.amount.minorUnits) == [99])
      let failed = try #require(owed.first?.refund.id)
      await #expect(throws: RefundError.owed(failed)) { try await refunds.refund(order.id.uuid, because: .refund) }
      let again = try await refunds.repeatRefund(failed)
      #expect(again.state == .asked && again.isSurplus)
      await #expect(throws: RefundError.notOwed(failed)) { try await refunds.repeatRefund(failed) }
      try await shop.later(10)
      try await shop.tell()
      let secondStates = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(secondStates == [.failed, .settled])
      let rest = try await refunds.owed()
      #expect(rest == [])
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] == 0)
      let secondBookFaults = try await shop.store.bookFaults()
      #expect(secondBookFaults == [])
    }
  }

  @Test("PAY-4: a closed refund of a late payment is not sent after a won dispute, and its order owes nothing")
  func lateRefundIsClosed() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.failedLateRefund(shop)
      let failed = try #require(try await shop.store.core.refunds.owed().first?.refund.id)
      try await shop.store.core.refunds.closeRefund(failed)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.tell()
      try shop.stripe.close(dispute, as: "won")
      for _ in 0..<3 {
        try await shop.tell()
        try await shop.later(60)
      }
      let states = try await shop.store.core.refunds.refunds(of: order.id.uuid).filter { $0.origin != .bank }.map(
        \.state)
      #expect(states == [.failed])
      let owing = try await shop.store.core.dependencies.database.read {
        try $0.row("SELECT 1 AS one FROM orders WHERE owes_refund = 1")
      }
      #expect(owing == nil)
    }
  }

  @Test("money that came too late goes back without the part that the operator has given back in the dashboard")
  func latePartByHand() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paidTooLate(shop)
      try shop.stripe.refundByHand(try #require(shop.stripe.payments.first?.id), amount: 10)
      for _ in 0..<4 {
        try await shop.tell()
        try await shop.later(60)
      }
      #expect(shop.stripe.payments.map(\.refunded) == [99])
      let refunds = try await shop.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.filter { $0.state == .settled }.map(\.amount.minorUnits).sorted() == [10, 89])
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] == 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("money that came too late, that the bank took for a dispute and put back, goes back to the buyer")
  func lateDispute() async throws {
    try await StripeStore.run { shop in
      _ = try await Self.paidTooLate(shop)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      for _ in 0..<3 {
        try await shop.tell()
        try await shop.later(60)
      }
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] == 0)
      try shop.stripe.close(dispute, as: "won")
      for _ in 0..<3 {
        try await shop.tell()
        try await shop.later(60)
      }
      #expect(shop.stripe.payments.map(\.refunded) == [99])
      let secondBalances = try await shop.store.balances()
      #expect(secondBalances[Ledger.refundsDue, default: 0] == 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a second refund of the same money that is told before the first one's failure waits for it")
  func replacedRefund() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      try await shop.tell()
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      try await shop.later(1)
      try await shop.tell()
      let payment = try #require(shop.stripe.payments.first?.id)
      try shop.stripe.failRefund(try #require(shop.stripe.refundIDs.first))
      shop.stripe.loseDeliveries()
      let second = try shop.stripe.refundByHand(payment, amount: 99)
      try await shop.tell()
      let failed = try await shop.provider.client.refund(try #require(shop.stripe.refundIDs.first))
      #expect(failed.status == .failed)
      // The sweep of the next day finds the failure.
      try await Self.sweep(shop)
      shop.store.advance(by: .seconds(86_401))
      for _ in 0..<3 {
        try await Self.sweep(shop)
        try await shop.later(3600)
      }
      let refunds = try await shop.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.map(\.state) == [.failed, .settled] && refunds.last?.id == "stripe:\(second)")
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund that is asked for while a dispute is open fails, and is booked back")
  func disputed() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      try await shop.later(1)
      let refund = try #require(try await shop.store.core.refunds.refunds(of: order.id.uuid).first)
      #expect(refund.state == .failed && refund.failure == "charge_disputed")
      #expect(shop.stripe.payments.map(\.refunded) == [0])
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("while the secret is rolled, a store with the old secret takes calls with both signatures; afterwards none")
  func rolledSecret() async throws {
    try await StripeStore.run { shop in
      _ = try #require(shop.stripe.rollSecret(of: shop.webhook.id, keepingOldFor: 3600))
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: false))
      let answers = try await shop.tell()
      #expect(answers.allSatisfy { $0 == 204 })
      shop.store.advance(by: .seconds(3601))
      try await shop.enter()
      // The old secret, which is the store's, signs no more.
      let secondAnswers = try await shop.tell()
      #expect(secondAnswers.allSatisfy { (400..<500).contains($0) })
    }
  }

  @Test("a call that is too old, too new, changed, unsigned or huge is refused, and changes nothing")
  func refused() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      let calls = Calls()
      await shop.stripe.deliver { await calls.keep($0) }
      let call = try #require(await calls.all.last { String(decoding: $0.body, as: UTF8.self).contains("succeeded") })
      var changed = call.body
      changed[changed.count / 2] ^= 1
      let actualAnswer = try await shop.post(changed, signature: call.signature)
      #expect(actualAnswer == 401)
      let secondAnswer = try await shop.post(call.body, signature: nil)
      #expect(secondAnswer == 401)
      let huge = [UInt8](repeating: 32, count: 1 << 20)
      let thirdAnswer = try await shop.post(huge, signature: call.signature)
      #expect(thirdAnswer == 413)
      for seconds in [301, -602] {
        shop.store.advance(by: .seconds(seconds))
        let answer = try await shop.post(call.body, signature: call.signature)
        #expect(answer == 401)
      }
      shop.store.advance(by: .seconds(301))
      try await shop.store.core.deliverOutbox()
      let stage = try await shop.stage(order)
      #expect(stage == .open)
    }
  }

  private actor Calls {
    var all: [WebhookCall] = []
    func keep(_ call: WebhookCall) -> Int? {
      all.append(call)
      return 200
    }
  }

  @Test("a card that its bank renewed is shown with its new digits")
  func renewed() async throws {
    try await StripeStore.run { shop in
      let saved = try await shop.save()
      try shop.stripe.renewCard(saved.details.reference, lastFour: "1111", year: 2040)
      try await shop.tell()
      let details = try #require(try await shop.methods().first?.details)
      #expect(details.lastFour == "1111" && details.expires == "2040-12")
    }
  }

  @Test("payments of another system with the same account at Stripe are passed over")
  func foreign() async throws {
    try await StripeStore.run { shop in
      let customer = try await shop.provider.client.createCustomer(metadata: [:], key: StripeIdempotencyKey("x"))
      _ = try await shop.provider.client.createPayment(
        StripeNewPayment(amount: try StripeAmount(try TestShop.money(50)), customer: customer.id, metadata: ["a": "b"]),
        key: StripeIdempotencyKey("y"))
      try await shop.enter()
      #expect(shop.stripe.payments.map(\.status) == ["succeeded"])
      let answers = try await shop.tell()
      #expect(answers.allSatisfy { $0 == 204 })
      let payments = try await shop.store.core.dependencies.database.read { try $0.rows("SELECT id FROM payments") }
      #expect(payments.isEmpty)
      let waiting = try await shop.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test("a removed method is detached at Stripe; with the account's removal its customer is deleted")
  func removal() async throws {
    try await StripeStore.run { shop in
      let (first, second) = (try await shop.save(), try await shop.save("5555555555554444"))
      #expect(try await shop.store.core.payments.remove(first.id, of: shop.shopper.accountID))
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.savedMethods == [second.details.reference])
      let customer = try #require(try await shop.provider.customers.known(shop.shopper.accountID))
      let removal = AccountRemoval(
        orders: shop.store.core.orders.records, cancellation: shop.store.core.orders.cancellation,
        renewals: shop.store.core.orders.renewals, environment: .sandbox,
        random: shop.store.core.dependencies.random,
        methods: MethodRemovals(providers: shop.store.core.providers, environment: .sandbox))
      let account = try #require(AccountID(shop.shopper.accountID))
      _ = try await shop.store.core.dependencies.database.write(at: shop.clock.now()) {
        try removal.remove(account, in: $0)
      }
      try await shop.store.core.deliverOutbox()
      #expect(try await shop.provider.client.customer(customer).isDeleted)
      let known = try await shop.provider.customers.known(shop.shopper.accountID)
      #expect(known == nil)
    }
  }

  private static func paid(_ shop: StripeStore, card: String = "4242424242424242") async throws -> OrderMessage {
    let order = try await shop.order()
    try await shop.pay(order, with: .offered("card", save: false))
    try await shop.enter(card)
    try await shop.confirm(order)
    let stage = try await shop.stage(order)
    #expect(stage == .paid)
    try await shop.tell()
    return order
  }
}
