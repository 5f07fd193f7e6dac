import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales

@Suite("Introductory offers", .timeLimit(.minutes(5)))
struct OfferTests {
  private static func catalogue() throws -> Catalogue {
    let nl = try TestShop.country("NL")
    func plan(_ id: String, group: String = "plans", mode: PaymentMode, count: Int, price: Int64?) throws
      -> Product
    {
      let offer = Offer(
        id: "\(id).intro", kind: .introductory, mode: mode, period: mode == .freeTrial ? .oneWeek : .oneMonth,
        periodCount: count, prices: try price.map { [nl: try TestShop.money($0)] } ?? [:])
      return Product(
        id: id, kind: .autoRenewableSubscription, referenceName: id, prices: [nl: try TestShop.money(999)],
        subscription: Subscription(groupID: group, groupName: group, period: .oneMonth, offers: [offer]))
    }
    return try Catalogue(products: [
      try plan("trial", mode: .freeTrial, count: 1, price: nil),
      try plan("upfront", mode: .payUpFront, count: 3, price: 1499),
      try plan("each", mode: .payAsYouGo, count: 3, price: 299),
      try plan("other", group: "others", mode: .freeTrial, count: 1, price: nil),
    ])
  }

  private func shop(_ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    try await TestStore().shop { shopper in
      try await shopper.store.core.catalogue.replace(try Self.catalogue(), of: TestShop.app.id)
      try await body(shopper)
    }
  }

  private func offers(_ shopper: Shopper) async throws -> [String: OfferMessage] {
    let query = "?id=trial&id=upfront&id=each&id=other"
    let products = try await shopper.get("/v1/products\(query)").message(ProductsMessage.self).products
    return products.reduce(into: [:]) { $0[$1.id] = $1.offers.first }
  }

  @Test(
    "PRD-9: a new subscriber pays the offer's price for the offer's time",
    arguments: [("trial", 0, 7), ("upfront", 1499, 91), ("each", 299, 31)])
  func newSubscriber(product: String, price: Int64, days: Int) async throws {
    try await shop { shopper in
      let offer = try #require(try await offers(shopper)[product])
      #expect(offer.price.amount == price)
      let order = try await shopper.buy(product)
      #expect(order.price.amount == price)
      let paid = try #require(order.paidAt)
      let end = try #require(order.expiresAt)
      // Months have 28 to 31 days; the test's clock stands where these do.
      #expect(abs(end.timeIntervalSince(paid) / 86_400 - Double(days)) < 3)
      let booked = try await shopper.store.ledger(order.id).filter { $0.kind == "sale" }.map(\.amount.minorUnits)
      #expect(booked == (price == 0 ? [] : [price]))
    }
  }

  @Test("PRD-9: a former subscriber of the group pays the regular price, and is not shown the group's offers")
  func deletedSubscriber() async throws {
    try await shop { shopper in
      let keys = try await offers(shopper).keys.sorted()
      #expect(keys == ["each", "other", "trial", "upfront"])
      try await shopper.buy("trial")
      let secondKeys = try await offers(shopper).keys.sorted()
      #expect(secondKeys == ["other"])
      shopper.store.advance(by: .seconds(8 * 86_400))
      let regular = try await shopper.buy("upfront")
      #expect(regular.price.amount == 999)
      let amount = try await shopper.buy("other").price.amount
      #expect(amount == 0)
    }
  }

  @Test("GAT-4: a trial that was used while a second order was open is not charged silently: the new price is shown")
  func usedMeanwhile() async throws {
    try await shop { shopper in
      let (first, second) = (try await shopper.order("trial"), try await shopper.order("upfront"))
      #expect(second.price.amount == 1499)
      let outcome = try await shopper.pay(first, with: .succeeds)
      #expect(outcome == .paid)
      try await shopper.store.core.orders.refund(first.id.uuid, because: .support)
      let regular = try TestShop.money(999)
      let refusal = try await shopper.pay(second, with: .succeeds)
      #expect(refusal == .priceChanged(regular))
      var shown = second
      shown.price = PriceMessage(regular, formatted: "")
      let secondOutcome = try await shopper.pay(shown, with: .succeeds)
      #expect(secondOutcome == .paid)
      let amount = try await shopper.order(second.id).price.amount
      #expect(amount == 999)
    }
  }
}
