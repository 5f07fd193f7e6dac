import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore

/// How SQLite finds the rows of the statements that the store runs: by an index, however many orders there are.
@Suite("Query plans", .timeLimit(.minutes(5)))
struct QueryPlanTests {
  /// Their rows are kept for a day at most: they may be read from end to end.
  private static let shortLived: Set = ["authorization_codes", "login_attempts", "methods_sessions"]

  /// Reads every row of a table, or of an index.
  private static func isScan(_ line: String) -> Bool {
    guard line.hasPrefix("SCAN "), line != "SCAN CONSTANT ROW" else { return false }
    return !shortLived.contains(line.dropFirst(5).prefix { $0 != " " }.description)
  }

  /// Reads every order of an account, or all that it has paid.
  private static func isWholeAccount(_ line: String) -> Bool {
    ["orders_by_account", "orders_purchased"].contains { line.hasSuffix("INDEX \($0) (account_id=? AND app_id=?)") }
  }

  private func observed(_ body: @escaping @Sendable (Shopper, ObservedDatabase) async throws -> Void) async throws {
    let store = try await TestStore(isObserved: true)
    let database = try #require(store.core.dependencies.database as? ObservedDatabase)
    try await store.shop { shopper in
      _ = database.takeStatements()
      try await body(shopper, database)
    }
  }

  /// What SQLite does for a statement, a line for each table.
  private func plan(_ sql: String, in database: ObservedDatabase) async throws -> [String] {
    let numbers = sql.matches(of: /\$([0-9]+)/).compactMap { Int($0.1) }
    let arguments = [SQLValue](repeating: .null, count: numbers.max() ?? 0)
    let lines = try await database.read {
      try $0.rows("EXPLAIN QUERY PLAN \(sql)", arguments).map { try $0.text("detail") }
    }
    _ = database.takeStatements()
    return lines
  }

  /// Checks the plans of the statements that were run since the last call; returns the indexes that they use.
  private func check(
    _ part: String, in database: ObservedDatabase, readsAccount: Bool = false
  ) async throws -> Set<String> {
    let statements = database.takeStatements()
    #expect(!statements.isEmpty, "\(part) ran no statement")
    var indexes: Set<String> = []
    for sql in statements {
      let plan = try await plan(sql, in: database)
      #expect(!plan.contains(where: Self.isScan), "\(part) reads a whole table: \(sql)\n\(plan)")
      #expect(readsAccount || !plan.contains(where: Self.isWholeAccount), "\(part) reads all orders: \(sql)\n\(plan)")
      indexes.formUnion(plan.compactMap { $0.firstMatch(of: /INDEX (\w+)/).map { String($0.1) } })
    }
    return indexes
  }

  @Test("A statement that reads a whole table, or all orders of an account, is seen as such")
  func seen() async throws {
    try await observed { _, database in
      let (table, account, one) = (
        try await plan("SELECT id FROM orders o WHERE price_text = $1", in: database),
        try await plan("SELECT id, state FROM orders WHERE account_id = $1 AND app_id = $2", in: database),
        try await plan("SELECT state FROM orders WHERE id = $1", in: database)
      )
      #expect(table.contains(where: Self.isScan) && !table.contains(where: Self.isWholeAccount))
      #expect(account.contains(where: Self.isWholeAccount) && !account.contains(where: Self.isScan))
      #expect(!one.isEmpty && !one.contains { Self.isScan($0) || Self.isWholeAccount($0) })
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
      let link = try #require(try await phone.get("/v1/history?limit=1").headers[.link])
      try await phone.get(String(try #require(link.firstMatch(of: /<(.*)>/)).1))
      used.formUnion(try await check("a history", in: database))
      try await refund(phone)
      used.formUnion(try await check("a refund", in: database))
      try await maintain(phone)
      used.formUnion(try await check("maintenance", in: database))
      let account = try #require(AccountID(phone.accountID))
      _ = try await AccountExport(core: phone.store.core).document(of: account)
      used.formUnion(try await check("an export", in: database, readsAccount: true))
      let indexes = [
        "orders_by_account", "orders_open", "orders_processing", "orders_purchased", "orders_restorable",
        "orders_revoked", "orders_subscriptions", "orders_unfinished", "outbox_by_kind", "payments_by_order",
      ]
      #expect(used.isSuperset(of: indexes), "no statement uses \(Set(indexes).subtracting(used))")
    }
  }

  /// Buys in every way: by card at once, later and with a second step, by the provider's own page; what is owned; two
  /// plans of a group; and gives one order up.
  private func buy(_ shopper: Shopper) async throws {
    let store = shopper.store
    for product in ["remove_ads", "pro", "coins"] {
      try await shopper.get("/v1/products?id=\(product)&country=NL")
      let bought = try await shopper.buy(product)
      #expect(try await shopper.finish(bought.id) == .noContent)
    }
    #expect(try await shopper.order("remove_ads").duplicateOf != nil)
    _ = try await shopper.claim(try await shopper.buy("coins").id)
    try await shopper.post("/v1/orders/\(try await shopper.order("coins").id)/cancel")
    #expect(try await shopper.pay(try await shopper.order("coins"), with: .settlesLater) == .pending)
    let twice = try await shopper.order("coins")
    let token = try #require(twice.paymentURL?.lastPathComponent)
    _ = try await store.core.payments.page(token)
    #expect(try await shopper.pay(twice, with: .secondStep) == .secondStep)
    #expect(try await store.core.payments.confirmSecondStep(token) == .paid)
    let elsewhere = try await shopper.order("coins")
    let payment = store.freshID().uuidString.lowercased()
    let status = try await store.event("succeeded", payment: payment, order: elsewhere.id, with: shopper.client)
    #expect(status == .noContent)
  }

  private func refund(_ shopper: Shopper) async throws {
    let owned = try #require(try await shopper.restorable().first { $0.product.id == "remove_ads" })
    try await shopper.store.core.orders.refund(owned.id.uuid, because: .support)
    #expect(try await shopper.restorable().allSatisfy { $0.id != owned.id })
  }

  /// What the running store does again and again.
  private func maintain(_ shopper: Shopper) async throws {
    let (store, core) = (shopper.store, shopper.store.core)
    _ = try await shopper.order("coins")
    store.advance(by: .seconds(core.dependencies.configuration.orderLifetime))
    #expect(try await core.orders.expireOpenOrders() == 1)
    try await store.settle()
    try await core.attribution.clear()
    try await core.events.clear()
  }
}
