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

  @Test("SUB-14: the offer's time follows the paid period, its page says from when, and the regular price comes after")
  func follows() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      #expect(try await paymentPage(of: order, at: shopper).startsAt == "02-10".midnight)
      #expect(try await shopper.agree(to: order) == .paid)
      #expect(try await shopper.order(order.id).expiresAt == "05-10".midnight)
      #expect(try await shopper.order(subscriber.purchase.id).expiresAt == "02-10".midnight)
      #expect(try await shopper.givenBack(subscriber.purchase.id) == [])
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(history.map(\.price.minorUnits) == [999, 299] && history.map(\.offer?.kind) == [nil, .code])
      try await subscriber.pass(to: try #require("05-11".midnight))
      #expect(try await subscriber.renewals().map(\.price.minorUnits) == [999])
      #expect(try await subscriber.faults() == [])
    }
  }

  @Test("SUB-14: a subscription that was switched off goes on with the offer")
  func switchedOff() async throws {
    try await open { shopper, subscriber, codes in
      #expect(try await subscriber.setAutoRenew(false))
      let order = try await shopper.redeemed(codes[0])
      #expect(try await shopper.agree(to: order) == .paid)
      #expect(try await subscriber.machine().autoRenews)
    }
  }

  @Test("SUB-14: of two offers that are paid at once one follows; the other costs nothing, and keeps its code")
  func twice() async throws {
    try await open { shopper, subscriber, codes in
      let (first, second) = (try await shopper.redeemed(codes[0]), try await shopper.redeemed(codes[1]))
      #expect(try await shopper.pay(second, with: .settlesLater) == .pending)
      #expect(try await shopper.agree(to: first) == .paid)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      #expect(try await subscriber.machine().period?.end == "05-10".midnight)
      let other = try await shopper.order(second.id)
      #expect(other.state == .paid && other.duplicateOf == first.id)
      #expect(try await shopper.store.core.refunds.refunds(of: second.id.uuid).map(\.amount.minorUnits) == [299])
      let stranger = try await shopper.store.account()
      #expect(try await shopper.redeem(codes[1], as: stranger).isSuccess)
      #expect(try await subscriber.faults() == [])
    }
  }

  @Test("SUB-14: once the renewal is asked for, an offer that waits on its page costs nothing, and no new one is sold")
  func late() async throws {
    try await open { shopper, subscriber, codes in
      try await subscriber.pass(to: try #require("02-10".midnight) - 3700)
      let order = try await shopper.redeemed(codes[0])
      try await subscriber.pass(to: try #require("02-10".midnight) - 2800)
      #expect(try await shopper.redeem(codes[1]) == .failure(.notEligible))
      #expect(try await shopper.agree(to: order) == .paid)
      #expect(try await shopper.order(order.id).duplicateOf != nil)
      let stranger = try await shopper.store.account()
      #expect(try await shopper.redeem(codes[0], as: stranger).isSuccess)
      try await subscriber.pass(to: try #require("02-11".midnight))
      #expect(try await subscriber.renewals().map(\.price.minorUnits) == [999])
      #expect(try await subscriber.faults() == [])
    }
  }
}
