import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAnalytics
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// How the engine finds the rows of the statements that the store runs: by an index, however many orders there are.
@Suite("Query plans", .timeLimit(.minutes(5)))
struct QueryPlanTests {
  /// Their rows are kept for a day at most: they may be read from end to end.
  private static let shortLived: Set = ["authorization_codes", "login_attempts", "methods_sessions"]

  /// Are read from end to end when an operator has changed something of them, and are small.
  private static let cached: Set = ["apps", "catalogues", "products", "revisions", "signing_keys"]

  private func observed(_ body: @escaping @Sendable (Shopper, ObservedDatabase) async throws -> Void) async throws {
    let store = try await TestStore(isObserved: true)
    let database = try #require(store.core.dependencies.database as? ObservedDatabase)
    try await store.shop { shopper in
      _ = database.takeStatements()
      try await body(shopper, database)
    }
  }

  /// Checks the plans of the statements that were run since the last call; returns the indexes that they use.
  private func check(
    _ part: String, in database: ObservedDatabase, readsAccount: Bool = false
  ) async throws -> Set<String> {
    let plans = try await database.takePlans()
    #expect(!plans.isEmpty, "\(part) ran no statement")
    for plan in plans {
      let small = Self.shortLived.union(Self.cached)
      #expect(small.isSuperset(of: plan.scannedTables), "\(part) reads a whole table: \(plan)")
      #expect(readsAccount || !plan.readsWholeAccount, "\(part) reads all orders: \(plan)")
    }
    return plans.reduce(into: []) { $0.formUnion($1.indexes) }
  }

  @Test("A statement that reads a whole table, or all orders or purchases of an account, is seen as such")
  func seen() async throws {
    try await observed { _, database in
      let table = try await database.plan("SELECT id FROM orders WHERE price_text = $1", ["x"])
      #expect(table.scannedTables == ["orders"] && !table.readsWholeAccount)
      let one = try await database.plan("SELECT state FROM orders WHERE id = $1", ["x"])
      #expect(one.scannedTables.isEmpty && !one.readsWholeAccount)
      // With PostgreSQL, which index serves best depends on what is in the table.
      guard !TestDatabase.isPostgres else { return }
      let account = "SELECT id, state FROM orders WHERE account_id = $1 AND app_id = $2"
      let purchases =
        "\(account) AND state = 'paid' AND duplicate_of IS NULL AND paid_at IS NOT NULL ORDER BY paid_at, id"
      for sql in [account, purchases] {
        let plan = try await database.plan(sql, ["x", "y"])
        #expect(plan.readsWholeAccount && plan.scannedTables.isEmpty, "\(plan)")
      }
      let page = try await database.plan("\(purchases) LIMIT $3", ["x", "y", 1])
      #expect(!page.readsWholeAccount && page.scannedTables.isEmpty, "\(page)")
    }
  }

  @Test("Purchase, sync, history, refund and maintenance find their rows by indexes, and every index has a use")
  func indexes() async throws {
    try await observed { shopper, database in
      var phone = shopper
      phone.device = UUID()
      try await buy(phone)
      var used = try await check("a purchase", in: database)
      phone.store.advance(by: .seconds(60))
      _ = try await phone.sync(try await phone.sync().cursor)
      used.formUnion(try await check("a sync", in: database))
      _ = try await phone.restorable()
      used.formUnion(try await check("a restore", in: database))
      _ = try await phone.history()
      used.formUnion(try await check("a whole history", in: database, readsAccount: true))
      let link = try #require(try await phone.get("/v1/history?limit=1").headers[.link])
      try await phone.get(String(try #require(link.firstMatch(of: /<(.*)>/)).1))
      used.formUnion(try await check("a page of a history", in: database))
      try await refund(phone)
      used.formUnion(try await check("a refund", in: database))
      try await maintain(phone)
      used.formUnion(try await check("maintenance", in: database))
      let account = try #require(AccountID(phone.accountID))
      _ = try await phone.store.core.accountExport.document(of: account)
      used.formUnion(try await check("an export", in: database, readsAccount: true))
      let indexes = [
        "orders_by_account", "orders_open", "orders_processing", "orders_purchased", "orders_restorable",
        "orders_revoked", "orders_subscriptions", "orders_unfinished", "outbox_by_kind", "payments_by_order",
      ]
      let isUsed = TestDatabase.isPostgres || used.isSuperset(of: indexes)
      #expect(isUsed, "no statement uses \(Set(indexes).subtracting(used))")
    }
  }

  /// Buys in every way: by card at once, later and with a second step, by the provider's own page; what is owned; two
  /// plans of a group; and gives one order up.
  private func buy(_ shopper: Shopper) async throws {
    let store = shopper.store
    for product in ["remove_ads", "pro", "coins"] {
      try await shopper.get("/v1/products?id=\(product)&country=NL")
      let bought = try await shopper.buy(product)
      let outcome = try await shopper.finish(bought.id)
      #expect(outcome == .noContent)
    }
    let duplicateOf = try await shopper.order("remove_ads").duplicateOf
    #expect(duplicateOf != nil)
    _ = try await shopper.claim(try await shopper.buy("coins").id)
    try await shopper.post("/v1/orders/\(try await shopper.order("coins").id)/cancel")
    let secondOutcome = try await shopper.pay(try await shopper.order("coins"), with: .settlesLater)
    #expect(secondOutcome == .pending)
    let twice = try await shopper.order("coins")
    let token = try #require(twice.paymentURL?.lastPathComponent)
    _ = try await store.core.payments.page(token)
    let thirdOutcome = try await shopper.pay(twice, with: .secondStep)
    #expect(thirdOutcome == .secondStep)
    let fourthOutcome = try await store.core.payments.confirmSecondStep(token)
    #expect(fourthOutcome == .paid)
    let elsewhere = try await shopper.order("coins")
    let payment = store.freshID().uuidString.lowercased()
    let status = try await store.event("succeeded", payment: payment, order: elsewhere.id, with: shopper.client)
    #expect(status == .noContent)
  }

  private func refund(_ shopper: Shopper) async throws {
    let owned = try #require(try await shopper.restorable().first { $0.product.id == "remove_ads" })
    try await shopper.store.core.orders.refund(owned.id.uuid, because: .support)
    let restorable = try await shopper.restorable()
    #expect(restorable.allSatisfy { $0.id != owned.id })
  }

  /// What the running store does again and again.
  private func maintain(_ shopper: Shopper) async throws {
    let (store, core) = (shopper.store, shopper.store.core)
    _ = try await shopper.order("coins")
    store.advance(by: .seconds(core.dependencies.configuration.orderLifetime))
    let expired = try await core.orders.expireOpenOrders()
    #expect(expired == 1)
    try await store.settle()
    try await core.attribution.clear()
    try await core.events.clear()
    try await shopper.clock.advance(by: 31 * 86_400)
    _ = try await AccountClock.latest(core.dependencies.base)
  }
}
