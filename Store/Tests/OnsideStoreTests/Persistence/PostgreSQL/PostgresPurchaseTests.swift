import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("A purchase on PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresPurchaseTests {
  /// A store on a database of its own, which is closed afterwards.
  private func shop(_ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    let database = try await PostgresTestDatabase().open(Migration.all)
    try await TestStore(database: database).shop(body)
    await database.close()
  }

  @Test("goes from the order to the signed history, once for each key, and arrives with the next sync once")
  func purchase() async throws {
    try await shop { shopper in
      let cursor = try await shopper.sync().cursor
      let key = shopper.store.freshID()
      let order = try await shopper.order("coins", key: key, token: "user-1")
      let id = try await shopper.order("coins", key: key, token: "user-1").id
      #expect(id == order.id)
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .paid)
      let paid = try await shopper.order(order.id)
      let news = try await shopper.sync(cursor)
      #expect(news.orders == [paid])
      let orders = try await shopper.sync(news.cursor).orders
      #expect(orders.isEmpty)
      let secondOutcome = try await shopper.finish(order.id)
      #expect(secondOutcome == .noContent)
      let finished = try await shopper.sync(news.cursor).orders.map(\.finished)
      #expect(finished == [true])
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(history.map(\.orderID) == [order.id.uuid])
      #expect(history.first?.appAccountToken == "user-1")
      let transactions = try await shopper.verify(try #require(paid.receipt)).transactions
      #expect(transactions == history)
    }
  }

  @Test("that is refunded balances the ledger, and is revoked")
  func refund() async throws {
    try await shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [order.id])
      try await shopper.store.core.orders.refund(order.id.uuid, because: .support)
      try await shopper.store.settle()
      let revocationReason = try await shopper.order(order.id).revocationReason
      #expect(revocationReason == .support)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let values = try await shopper.store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
    }
  }

  @Test("whose card is declined leaves nothing in the ledger")
  func declined() async throws {
    try await shop { shopper in
      let order = try await shopper.order("coins")
      let outcome = try await shopper.pay(order, with: .declined)
      #expect(outcome == .declined)
      let orders = try await shopper.sync().orders
      #expect(orders.isEmpty)
      let ledger = try await shopper.store.ledger(order.id)
      #expect(ledger.isEmpty)
    }
  }
}
