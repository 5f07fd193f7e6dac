import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreVault
@testable import StoreWeb

@Suite("Counted for an operator", .timeLimit(.minutes(5)))
struct CounterTests {
  @Test("Purchases are counted once, whatever is repeated: made, paid, finished, refunded")
  func purchases() async throws {
    try await TestStore().shop { shopper in
      let (store, key) = (shopper.store, shopper.store.freshID())
      let order = try await shopper.order("coins", key: key)
      _ = try await shopper.order("coins", key: key)
      #expect(store.value("onside_orders_made_total") == 1 && store.value("onside_purchases_total") == 0)
      let actualOutcome = try await shopper.pay(order, with: .succeeds)
      #expect(actualOutcome == .paid)
      for _ in 0..<2 {
        let actualOutcome = try await shopper.finish(order.id)
        #expect(actualOutcome == .noContent)
      }
      let payment = try #require(try await store.payments(of: order.id).first)
      for _ in 0..<2 {
        let status = try await store.event("refunded", payment: payment, order: order.id, with: shopper.client)
        #expect(status.kind == .successful)
      }
      #expect(store.value("onside_orders_made_total") == 1)
      #expect(store.value("onside_purchases_total") == 1)
      #expect(store.value("onside_orders_finished_total") == 1)
      #expect(store.value("onside_refunds_total") == 1)
      #expect(store.value(#"onside_payments_total{outcome="succeeded"}"#) == 1)
      #expect(store.value(#"onside_payments_total{outcome="refunded"}"#) == 1)
      #expect(store.value(#"onside_payments_total{outcome="declined"}"#) == 0)
    }
  }

  @Test("Purchases that fail are counted by their reason")
  func failures() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      func refused(_ reason: String) -> Double? { store.value(#"onside_orders_refused_total{reason="\#(reason)"}"#) }
      func cancelled(_ reason: String) -> Double? {
        store.value(#"onside_orders_cancelled_total{reason="\#(reason)"}"#)
      }
      for product in ["nothing", "no such id!"] {
        _ = try await shopper.tryOrder(
          OrderRequest(productID: product, country: .netherlands), key: store.freshID())
      }
      #expect(refused("product_not_available") == 1 && refused("invalid_product_identifier") == 1)
      let declined = try await shopper.order("coins")
      let actualOutcome = try await shopper.pay(declined, with: .declined)
      #expect(actualOutcome == .declined)
      #expect(store.value(#"onside_payments_total{outcome="declined"}"#) == 1)
      for _ in 0..<2 { try await shopper.post("/v1/orders/\(declined.id)/cancel") }
      #expect(cancelled("user") == 1)
      _ = try await shopper.order("coins")
      store.advance(by: .seconds(40 * 60))
      try await store.core.orders.expireOpenOrders()
      #expect(cancelled("expired") == 1 && store.value("onside_purchases_total") == 0)
    }
  }

  @Test(
    "What was rolled back on a full disk counts as a refusal, not as an order",
    .onSQLite("the test limits the pages of its file"))
  func rolledBack() async throws {
    try await TestStore().shop { shopper in
      let database = shopper.store.core.dependencies.database
      let pages: Int64 = try await database.write { try $0.row("PRAGMA page_count")?.integer("page_count") ?? 0 }
      try await database.write { _ = try $0.rows("PRAGMA max_page_count = \(pages)") }
      let request = OrderRequest(
        productID: "coins", country: .netherlands, appAccountToken: String(repeating: "x", count: 500))
      var made = 0.0
      while try await shopper.tryOrder(request, key: shopper.store.freshID()).status == .created { made += 1 }
      #expect(shopper.store.value("onside_orders_made_total") == made)
      #expect(shopper.store.value(#"onside_orders_refused_total{reason="storage"}"#) == 1)
      #expect(shopper.store.value(#"onside_problems_total{code="storage_full"}"#) == 1)
    }
  }

  @Test("Requests over a limit are counted by the problem's code")
  func rateLimited() async throws {
    let store = try await TestStore { $0.limits.perClient = RateLimit(perSecond: 1, burst: 2) }
    try await store.test { client in
      for _ in 0..<5 { _ = try await client.execute(uri: "/healthz", method: .get) { $0.status } }
    }
    #expect(store.value(#"onside_problems_total{code="rate_limited"}"#) == 3)
    #expect(store.value(#"onside_problems_total{code="overloaded"}"#) == 0)
  }

  @Test("Commits are timed, and the writes that share one are counted")
  func commits() async throws {
    let store = try await TestStore()
    let database = store.core.dependencies.database.once
    func count(_ name: String) -> Double { store.value(name) ?? -1 }
    let before = (
      commits: count(#"onside_commits_total{outcome="committed"}"#), writes: count("onside_commit_writes_sum")
    )
    let (held, begins) = AsyncStream.makeStream(of: Void.self)
    let freed = DispatchSemaphore(value: 0)
    let first = Task {
      try await database.write { _ in
        begins.yield()
        return freed.wait(timeout: .now() + 120) == .success
      }
    }
    for await _ in held { break }
    let others = (0..<10).map { number in
      Task { try await database.write { try StoreSettings(connection: $0).set("n\(number)", to: "1") } }
    }
    try await until("ten writes to wait") { database.waitingWrites == 10 }
    freed.signal()
    #expect(try await first.value)
    for other in others { try await other.value }
    #expect(database.waitingWrites == 0)
    #expect(count(#"onside_commits_total{outcome="committed"}"#) == before.commits + 2)
    #expect(count("onside_commit_writes_sum") == before.writes + 11)
    #expect(count("onside_commit_duration_seconds_count") == before.commits + 2)
    #expect(store.metrics.contains(#"onside_commit_writes_bucket{le="256.0"}"#))
  }

  @Test("A commit that fails is counted as failed", .onSQLite("the test makes its file's disk fail"))
  func failedCommit() async throws {
    let store = try await TestStore()
    let log = try OpenFile(store.folder.file("store.db-wal"))
    try log.refuseWrites()
    await #expect(throws: StorageError.self) { try await store.core.dependencies.database.proveWriting() }
    try log.takeWrites()
    #expect(store.value(#"onside_commits_total{outcome="failed"}"#) == 1)
  }

  @Test("Tries of a PIN are counted, and refused ones by the reason")
  func vaultTries() async throws {
    let store = try await TestStore()
    let wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.signUp()
    func tries(_ outcome: String) -> Double? { store.value(#"onside_vault_tries_total{outcome="\#(outcome)"}"#) }
    #expect(tries("answered") == 0)
    try await wallet.evaluate()
    #expect(tries("answered") == 1)
    let refused = await problem {
      _ = try await store.core.vault.evaluate(
        [UInt8](repeating: 255, count: 32), for: wallet.enrolment, by: wallet.signature())
    }
    #expect(refused == .vaultElementInvalid && tries("vault_element_invalid") == 1)
    let unknown = await problem { try await wallet.with(seed: 2).evaluate() }
    #expect(unknown == .notFound && tries("not_found") == 1 && tries("answered") == 1)
  }
}

extension TestStore {
  /// The metrics as Prometheus reads them.
  var metrics: String { core.dependencies.metrics.text() }

  /// The value of a series; nil when there is none.
  func value(_ series: String) -> Double? {
    metrics.split(separator: "\n").first { $0.hasPrefix(series + " ") }
      .flatMap { Double($0.dropFirst(series.utf8.count + 1)) }
  }
}
