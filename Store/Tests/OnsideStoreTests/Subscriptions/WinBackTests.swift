import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Offers for those whose subscription is over.
@Suite("Win-back offers", .timeLimit(.minutes(5)))
struct WinBackTests {
  /// Sells the plans, `basic` with a win-back offer of two months at € 1,99 each.
  private func open(
    rule: WinBackRule, _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    try await PlanShop.open { shopper in
      let nl = try TestShop.country("NL")
      let products = try PlanShop.catalogue().products.map { product in
        var product = product
        if product.id == "basic" {
          product.subscription?.offers = [
            Offer(
              id: "again", kind: .winBack, mode: .payAsYouGo, period: .oneMonth, periodCount: 2,
              prices: [nl: Money(minorUnits: 199, currency: .eur)], winBack: rule)
          ]
        }
        return product
      }
      try await shopper.store.core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
      try await body(shopper)
    }
  }

  /// Has a subscription from the first of February to the first of March 2026.
  private func february(_ shopper: Shopper) async throws -> Subscriber {
    let start = try #require("02-01".midnight)
    shopper.store.advance(by: .seconds(start.timeIntervalSince(shopper.store.clock.now())))
    let subscriber = try await shopper.subscribe(to: "basic")
    #expect(try await subscriber.setAutoRenew(false))
    return subscriber
  }

  private func offers(_ shopper: Shopper) async throws -> [AvailableOfferMessage]? {
    let answer = try await shopper.get("/v1/subscriptions").message(SubscriptionsMessage.self)
    return answer.subscriptions.first?.offers
  }

  private func refusal(_ shopper: Shopper, of offer: String = "again") async throws -> ProblemCode? {
    let response = try await shopper.tryOrder(with: offer)
    return response.status == .created ? nil : try response.problem().code
  }

  @Test("HIS-1: receipts and histories name the offer that a period was paid with, and no other's")
  func signedOffer() async throws {
    try await open(rule: .standard) { shopper in
      let subscriber = try await february(shopper)
      try await subscriber.pass(to: try #require("03-20".midnight))
      let outcome = try await shopper.agree(to: try await shopper.tryOrder(with: "again").message(OrderMessage.self))
      #expect(outcome == .paid)
      for _ in 0..<2 { try await subscriber.pass(days: 31) }
      let history = try await shopper.verify(try await shopper.history()).transactions
      let again = PurchaseOffer(id: "again", kind: .winBack)
      #expect(history.map(\.offer) == [nil, again, again, nil])
      for purchase in history {
        let order = try await shopper.get("/v1/orders/\(purchase.orderID.lowercase)").message(OrderMessage.self)
        let receipt = try await shopper.verify(try #require(order.receipt)).transactions
        #expect(receipt.map(\.offer) == [purchase.offer])
      }
    }
  }

  @Test("SUB-10: from a month after the end on, who has paid for a month may come back at the offer's price (case 84)")
  func case84() async throws {
    try await open(rule: WinBackRule(paidMonths: 1, lapsedFrom: 1, lapsedTo: 24)) { shopper in
      let subscriber = try await february(shopper)
      let actualOffers = try await offers(shopper)
      #expect(actualOffers == nil)
      let actualRefusal = try await refusal(shopper)
      #expect(actualRefusal == .offerNotEligible)
      try await subscriber.pass(to: try #require("03-20".midnight))
      let secondOffers = try await offers(shopper)
      #expect(secondOffers == nil)
      let secondRefusal = try await refusal(shopper)
      #expect(secondRefusal == .offerNotEligible)
      try await subscriber.pass(to: try #require("04-01".midnight))
      let thirdOffers = try await offers(shopper)
      #expect(thirdOffers == [AvailableOfferMessage(productID: "basic", id: "again")])
      let listed = try await shopper.get("/v1/products?id=basic").message(ProductsMessage.self).products.first
      #expect(listed?.offers.map(\.kind) == [.winBack] && listed?.offers.first?.price.amount == 199)
      let order = try await shopper.tryOrder(with: "again").message(OrderMessage.self)
      #expect(order.price.amount == 199 && order.product.offers.map(\.id) == ["again"])
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      let fourthOffers = try await offers(shopper)
      #expect(fourthOffers == nil)
      try await subscriber.pass(to: try #require("07-02".midnight))
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.price.minorUnits) == [199, 999, 999])
      #expect(renewals.allSatisfy { $0.originalOrderID == order.id.uuid })
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-10: the regular price is charged without the offer's name, and other names are no offers")
  func names() async throws {
    try await open(rule: .standard) { shopper in
      let subscriber = try await february(shopper)
      try await subscriber.pass(to: try #require("03-02".midnight))
      let amount = try await shopper.order("basic").price.amount
      #expect(amount == 999)
      let actualRefusal = try await refusal(shopper, of: "other")
      #expect(actualRefusal == .offerNotEligible)
      let secondRefusal = try await refusal(shopper, of: "")
      #expect(secondRefusal == .invalidRequest)
      let key = shopper.store.freshID()
      let first = try await shopper.tryOrder(with: "again", key: key)
      let secondAmount = try await shopper.tryOrder(with: "again", key: key).message(OrderMessage.self).price.amount
      #expect(secondAmount == 199)
      let thirdAmount = try first.message(OrderMessage.self).price.amount
      #expect(thirdAmount == 199)
      let code = try await shopper.tryOrder(with: nil, key: key).problem().code
      #expect(code == .idempotencyKeyReused)
    }
  }

  @Test("SUB-10: who is in grace, in retry or paused is not one who has left")
  func unpaid() async throws {
    try await open(rule: .standard) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      for days in [32.0, 20] {
        try await subscriber.pass(days: days)
        let actualOffers = try await offers(shopper)
        #expect(actualOffers == nil)
        let actualRefusal = try await refusal(shopper)
        #expect(actualRefusal == .offerNotEligible)
      }
      let stage = try await subscriber.machine().stage
      #expect(stage == .retry)
      // Given up: it is over, and the offer is there.
      try await subscriber.pass(days: 61)
      #expect(try await subscriber.machine().isLapsed)
      let offerCount = try await offers(shopper)?.count
      #expect(offerCount == 1)
    }
  }

  @Test("SUB-10: one offer for two orders is used once: the page of the other closes, and late money goes back")
  func twice() async throws {
    try await open(rule: .standard) { shopper in
      let subscriber = try await february(shopper)
      try await subscriber.pass(to: try #require("03-02".midnight))
      let orders = [
        try await shopper.tryOrder(with: "again").message(OrderMessage.self),
        try await shopper.tryOrder(with: "again").message(OrderMessage.self),
        try await shopper.tryOrder(with: "again").message(OrderMessage.self),
      ]
      let outcome = try await shopper.pay(orders[2], with: .settlesLater)
      #expect(outcome == .pending)
      let secondOutcome = try await shopper.agree(to: orders[0])
      #expect(secondOutcome == .paid)
      let thirdOutcome = try await shopper.pay(orders[1], with: .succeeds)
      #expect(thirdOutcome == .closed)
      let cancelReason = try await shopper.order(orders[1].id).cancelReason
      #expect(cancelReason == .offerUsed)
      try await shopper.store.settle()
      #expect(try await shopper.store.hasGivenBack(orders[2].id))
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-10: between two offers of a group there is the rule's time")
  func wait() async throws {
    try await open(rule: WinBackRule(waitMonths: 6)) { shopper in
      let subscriber = try await february(shopper)
      try await subscriber.pass(to: try #require("03-02".midnight))
      let order = try await shopper.tryOrder(with: "again").message(OrderMessage.self)
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(to: try #require("09-01".midnight))
      let actualOffers = try await offers(shopper)
      #expect(actualOffers == nil)
      try await subscriber.pass(to: try #require("09-02".midnight))
      let offerCount = try await offers(shopper)?.count
      #expect(offerCount == 1)
    }
  }
}

extension Shopper {
  /// Requests an order of the plan `basic` with one of its offers.
  func tryOrder(with offer: String?, signature: String? = nil, key: UUID? = nil) async throws -> TestResponse {
    let request = OrderRequest(
      productID: "basic", country: try TestShop.country(country),
      offer: offer.map { OrderOffer(id: $0, signature: signature) })
    return try await tryOrder(request, key: key ?? store.freshID())
  }
}
