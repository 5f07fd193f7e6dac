import CStoreActCounters
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
@testable import StoreSales

/// The code between `act_begins` and `act_ends` is what `script/acts` counts.
@Suite("Acts of the store", .timeLimit(.minutes(5)))
struct ActTests {
  @Test("an order is created open, with the address of its payment page")
  func order() async throws {
    try await TestStore().shop { shopper in
      let (request, key) = (try Self.request(), shopper.store.freshID())
      act_begins()
      let response = try await shopper.tryOrder(request, key: key)
      act_ends()
      #expect(response.status == .created)
      let order = try response.message(OrderMessage.self)
      #expect(order.state == .open)
      #expect(order.paymentURL?.path().hasPrefix("/pay/") == true)
    }
  }

  @Test("an order that is paid on its page leads to the page of its receipt, and has a signed receipt")
  func receipt() async throws {
    try await TestStore().shop { shopper in
      let (request, key) = (try Self.request(), shopper.store.freshID())
      let browser = Browser(shopper.client)
      act_begins()
      let created = try await shopper.tryOrder(request, key: key).message(CreatedOrder.self)
      let page = created.paymentURL.path()
      try await browser.get(page)
      try await browser.submit(page, with: ["method": "card_succeeds"])
      let response = try await shopper.get("/v1/orders/\(created.id)")
      act_ends()
      #expect(browser.path.hasPrefix("/receipt/"))
      let order = try response.message(OrderMessage.self)
      #expect(order.state == .paid)
      let purchases = try await shopper.verify(try #require(order.receipt)).transactions
      #expect(purchases.map(\.orderID) == [key])
    }
  }

  @Test("a renewal that is due is charged, and the signed history has it beside the purchase")
  func renewal() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      try await store.core.deliverOutbox()
      let due = try #require(subscriber.purchase.expiresAt) - 3600
      store.advance(by: .seconds(due.timeIntervalSince(store.clock.now())))
      act_begins()
      try await store.core.subscriptions.passTime()
      try await store.core.deliverOutbox()
      let history = try await shopper.history()
      act_ends()
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.state.stage) == [.paid])
      let purchases = try await shopper.verify(history).transactions
      #expect(Set(purchases.map(\.orderID)) == Set([subscriber.purchase.id.uuid] + renewals.map(\.id)))
    }
  }

  private static func request() throws -> OrderRequest {
    OrderRequest(productID: "coins", country: try TestShop.country("NL"), quantity: 1, appAccountToken: nil)
  }
}

/// The members of a created order that the test needs. It is decoded without the store's own types, which are counted.
private struct CreatedOrder: Decodable {
  var id: String
  var paymentURL: URL

  enum CodingKeys: String, CodingKey {
    case id
    case paymentURL = "payment_url"
  }
}
