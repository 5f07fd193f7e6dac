import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore

/// Offers that present subscribers buy for the time behind the one that they have paid. The code's is three months of
/// `basic` for € 2,99.
@Suite("Offers that are paid ahead", .timeLimit(.minutes(5)))
struct PaidAheadTests {
  private func open(
    _ body: @escaping @Sendable (Shopper, Subscriber, [OfferCode]) async throws -> Void
  ) async throws {
    try await PlanShop.open { shopper in
      let core = shopper.store.core
      try await core.catalogue.replace(try OfferCodeTests.catalogue(), of: TestShop.app.id)
      var codes: [OfferCode] = []
      for _ in 0..<2 {
        codes += try await core.offerCodes.create(
          1, product: "basic", offer: OfferCodeTests.offer, of: TestShop.app.id, expiresAt: nil
        ).codes
      }
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(to: try #require("01-20".midnight))
      try await body(shopper, subscriber, codes)
    }
  }

  private func paymentPage(of order: OrderMessage, at shopper: Shopper) async throws -> PaymentPage {
    let token = try #require(order.paymentURL?.lastPathComponent)
    return try #require(try await shopper.store.core.payments.page(token))
  }

  @Test("SUB-16: the offer's time follows the paid period, its page says from when, and the regular price comes after")
  func follows() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      let startsAt = try await paymentPage(of: order, at: shopper).startsAt
      #expect(startsAt == "02-10".midnight)
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      let expiresAt = try await shopper.order(order.id).expiresAt
      #expect(expiresAt == "05-10".midnight)
      let secondExpiresAt = try await shopper.order(subscriber.purchase.id).expiresAt
      #expect(secondExpiresAt == "02-10".midnight)
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [])
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(history.map(\.price.minorUnits) == [999, 299] && history.map(\.offer?.kind) == [nil, .code])
      try await subscriber.pass(to: try #require("05-11".midnight))
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [999])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-16: a subscription that was switched off goes on with the offer")
  func switchedOff() async throws {
    try await open { shopper, subscriber, codes in
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.redeemed(codes[0])
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      #expect(try await subscriber.machine().autoRenews)
    }
  }

  @Test("SUB-16: of two offers that are paid at once one follows; the other's money goes back, and its code is free")
  func twice() async throws {
    try await open { shopper, subscriber, codes in
      let (first, second) = (try await shopper.redeemed(codes[0]), try await shopper.redeemed(codes[1]))
      let outcome = try await shopper.pay(second, with: .settlesLater)
      #expect(outcome == .pending)
      let secondOutcome = try await shopper.agree(to: first)
      #expect(secondOutcome == .paid)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      let end = try await subscriber.machine().period?.end
      #expect(end == "05-10".midnight)
      let other = try await shopper.order(second.id)
      #expect(other.state == .cancelled && other.cancelReason == .offerUsed)
      let minorUnits = try await shopper.store.core.refunds.refunds(of: second.id.uuid).map(\.amount.minorUnits)
      #expect(minorUnits == [299])
      let stranger = try await shopper.store.account()
      #expect(try await shopper.redeem(codes[1], as: stranger).isSuccess)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-16: once the renewal is asked for, an offer that waits on its page is over, and no new one is sold")
  func late() async throws {
    try await open { shopper, subscriber, codes in
      try await subscriber.pass(to: try #require("02-10".midnight) - 3700)
      let order = try await shopper.redeemed(codes[0])
      try await subscriber.pass(to: try #require("02-10".midnight) - 2800)
      let outcome = try await shopper.redeem(codes[1])
      #expect(outcome == .failure(.notEligible))
      let secondOutcome = try await shopper.agree(to: order)
      #expect(secondOutcome == .closed)
      let cancelReason = try await shopper.order(order.id).cancelReason
      #expect(cancelReason == .offerUsed)
      let stranger = try await shopper.store.account()
      #expect(try await shopper.redeem(codes[0], as: stranger).isSuccess)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [999])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-16: money that comes after the renewal is too late for the date that the page has shown")
  func slow() async throws {
    try await open { shopper, subscriber, codes in
      try await subscriber.pass(to: try #require("02-10".midnight) - 3900)
      let order = try await shopper.redeemed(codes[0])
      let outcome = try await shopper.pay(order, with: .settlesLater)
      #expect(outcome == .pending)
      try await subscriber.pass(to: try #require("02-10".midnight) + 3600)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      let late = try await shopper.order(order.id)
      #expect(late.state == .cancelled && late.cancelReason == .offerUsed)
      let minorUnits = try await shopper.store.core.refunds.refunds(of: order.id.uuid).map(\.amount.minorUnits)
      #expect(minorUnits == [299])
      let secondMinorUnits = try await subscriber.machine().period?.price.minorUnits
      #expect(secondMinorUnits == 999)
    }
  }

  @Test("SUB-16: refunded, what was paid ahead is gone; what runs stays to its end, and another plan can be bought")
  func refundAhead() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      let originalOrderID = try await shopper.order(order.id).originalOrderID
      #expect(originalOrderID == subscriber.purchase.id)
      try await shopper.store.core.orders.refund(order.id.uuid, because: .refund)
      let machine = try await subscriber.machine()
      #expect(machine.period?.end == "02-10".midnight && machine.stage == .active && !machine.autoRenews)
      #expect(try await subscriber.setAutoRenew(true))
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [999 * 21 / 31])
      try await shopper.store.core.deliverOutbox()
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-16: when what runs is taken back, what was paid ahead ends, too, and its price goes back")
  func refundRunning() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      try await shopper.store.core.orders.refund(subscriber.purchase.id.uuid, because: .chargeback)
      try await shopper.store.core.deliverOutbox()
      let expiresAt = try await shopper.order(order.id).expiresAt
      #expect(expiresAt == shopper.store.clock.now())
      let givenBack = try await shopper.givenBack(order.id)
      #expect(givenBack == [299])
      let restorable = try await shopper.restorable()
      #expect(restorable == [])
      try await subscriber.pass(days: 200)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }
}
