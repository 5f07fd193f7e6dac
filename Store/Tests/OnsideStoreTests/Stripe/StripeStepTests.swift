import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales

/// Amounts in a currency of which Stripe moves hundredths, and the store counts thousandths.
@Suite("Stripe: the step of a currency", .timeLimit(.minutes(5)))
struct StripeStepTests {
  private static let card = PaymentChoice.offered("card", save: false, keep: true)

  private static func paid(_ product: String, in shop: StripeStore) async throws -> OrderMessage {
    let order = try await shop.order(product)
    let outcome = try await shop.pay(order, with: card)
    #expect(outcome == .secondStep)
    try await shop.enter()
    let confirmed = try await shop.confirm(order)
    #expect(confirmed == .paid)
    try await shop.tell()
    return try await shop.shopper.order(order.id)
  }

  private static func plans() throws -> Catalogue {
    func plan(_ id: String, level: Int, price: Int64) throws -> Product {
      Product(
        id: id, kind: .autoRenewableSubscription, referenceName: id,
        prices: [try TestShop.country("KW"): try TestShop.money(price, "KWD")],
        subscription: Subscription(groupID: "plans", groupName: "Plans", level: level, period: .oneMonth))
    }
    return try Catalogue(products: [try plan("basic", level: 2, price: 4990), try plan("pro", level: 1, price: 9990)])
  }

  @Test(
    "STO-3: an operator's part that Stripe cannot move is rejected and writes nothing; a multiple of its step settles")
  func operatorsAmount() async throws {
    try await StripeStore.run(country: "KW") { shop in
      let order = try await Self.paid("coins", in: shop)
      let refunds = shop.store.core.refunds
      let step = RefundError.step(asked: try TestShop.money(505, "KWD"), step: try TestShop.money(10, "KWD"))
      await #expect(throws: step) {
        _ = try await refunds.refund(order.id.uuid, amount: TestShop.money(505, "KWD"), because: .support)
      }
      let none = try await refunds.refunds(of: order.id.uuid)
      #expect(none.isEmpty)
      _ = try await refunds.refund(order.id.uuid, amount: TestShop.money(510, "KWD"), because: .support)
      _ = try await refunds.refund(order.id.uuid, because: .support)
      try await shop.later(10)
      let settled = try await refunds.refunds(of: order.id.uuid)
      #expect(settled.map(\.amount.minorUnits) == [510, 990])
      #expect(settled.map(\.state) == [.settled, .settled])
      let faults = try await shop.store.bookFaults()
      #expect(faults == [])
    }
  }

  @Test("SUB-5: the unused part of a plan is rounded up to Stripe's step, and settles")
  func planChange() async throws {
    try await StripeStore.run(country: "KW") { shop in
      try await shop.store.core.catalogue.replace(try Self.plans(), of: TestShop.app.id)
      let basic = try await Self.paid("basic", in: shop)
      let subscriber = Subscriber(shopper: shop.shopper, purchase: basic)
      let (start, end) = (shop.clock.now(), try #require(basic.expiresAt))
      try await subscriber.pass(days: 10)
      let unused = Int64(4990 * end.timeIntervalSince(shop.clock.now()) / end.timeIntervalSince(start))
      _ = try await Self.paid("pro", in: shop)
      try await shop.later(10)
      let refund = try #require(try await shop.store.core.refunds.refunds(of: basic.id.uuid).first)
      #expect(refund.amount.minorUnits == (unused + 9) / 10 * 10)
      #expect(refund.origin == .planChange && refund.state == .settled)
      let faults = try await shop.store.bookFaults()
      #expect(faults == [])
    }
  }
}
