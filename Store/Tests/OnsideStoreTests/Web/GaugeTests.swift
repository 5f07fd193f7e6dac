import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales
@testable import StoreWeb

@Suite("What waits and what is stuck, for an operator", .timeLimit(.minutes(5)))
struct GaugeTests {
  /// The metrics as Prometheus gets them, after the time for which they are told again.
  @discardableResult
  private func scrape(_ store: TestStore, _ client: any TestClientProtocol) async throws -> String {
    store.advance(by: .seconds(5))
    let answer = try await client.execute(uri: "/metrics", method: .get) { $0 }
    #expect(answer.status == .ok)
    return String(buffer: answer.body)
  }

  @Test("Deliveries: how many are due, wait and fail, and how old the oldest are")
  func outbox() async throws {
    let store = try await TestStore()
    let (database, now) = (store.core.dependencies.database, store.clock.now())
    try await database.write { connection in
      let rows: [(kind: String, due: TimeInterval, failing: TimeInterval?)] = [
        ("payment.refund", -100, nil), ("payment.refund", 600, -50), ("payment.refund", 0, -90_000),
        ("strange", -20, nil), ("stranger", 600, -30),
      ]
      for row in rows {
        try connection.execute(
          """
          INSERT INTO outbox(kind, payload, due_at, attempts, failing_since) VALUES ($1, '', $2, 0, $3)
          """, [.text(row.kind), .date(now + row.due), .date(row.failing.map { now + $0 })])
      }
    }
    try await store.test { client in
      try await scrape(store, client)
      func value(_ name: String, _ kind: String) -> Double? { store.value("\(name){kind=\"\(kind)\"}") }
      let expected: [(String, refund: Double, other: Double)] = [
        ("onside_outbox_due", 2, 1), ("onside_outbox_due_oldest_seconds", 105, 25), ("onside_outbox_waiting", 3, 2),
        ("onside_outbox_failing", 2, 1), ("onside_outbox_failing_oldest_seconds", 90_005, 35),
      ]
      for (name, refund, other) in expected {
        #expect(value(name, "payment.refund") == refund, "\(name)")
        #expect(value(name, "other") == other, "\(name)")
        #expect(value(name, "payment.start") == 0, "\(name)")
      }
      #expect(!store.metrics.contains("strange"))
    }
  }

  @Test("PAY-4: gauges count owed refunds, and disputes with evidence due within a week")
  func owed() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      try await store.core.refunds.refund(order.id.uuid, because: .refund)
      let status = try await store.event("refund_failed", payment: payment, order: order.id, with: shopper.client)
      #expect(status == .noContent)
      let now = store.clock.now()
      try await store.core.dependencies.database.write { connection in
        for (id, state, days) in [
          ("a", "open", 6.0), ("b", "open", 1), ("e", "open", -1), ("c", "open", 8), ("d", "won", 1),
        ] {
          try connection.execute(
            """
            INSERT INTO disputes(id, order_id, payment_id, amount, currency, reason, state, is_withdrawn, opened_at,
              answer_by)
            VALUES ($1, $4, $5, 1, 'EUR', 'fraudulent', $2, 0, 0, $3)
            """,
            [
              .text(id), .text(state), .date(now.addingTimeInterval(days * 86_400)), .text(order.id.description),
              .text(payment),
            ])
        }
      }
      try await scrape(store, shopper.client)
      #expect(store.value("onside_refunds_owed") == 1)
      #expect(store.value("onside_refunds_owed_oldest_seconds") == 5)
      #expect(store.value("onside_disputes_due") == 2)
    }
  }

  @Test("Messages that wait to be sent, to phones and to mailboxes; sent, expired and given up ones do not wait")
  func messages() async throws {
    let store = try await TestStore()
    let (database, now) = (store.core.dependencies.database, store.clock.now())
    try await database.write { connection in
      let rows: [(to: String, sent: TimeInterval, next: TimeInterval, delivered: Bool)] = [
        ("+31612345678", -40, 0, false), ("+31612345679", -10, 60, false), ("a@example.org", -20, 0, false),
        // Delivered, expired, given up.
        ("+31612345670", -60, 0, true), ("b@example.org", -700, 0, false), ("c@example.org", -5, 600, false),
      ]
      for (number, row) in rows.enumerated() {
        try connection.execute(
          """
          INSERT INTO one_time_codes(id, attempt_id, phone, number_range, device, network, language, sent_at,
            expires_at, delivered_at, next_delivery_at)
          VALUES ($1, '', $2, '', '', '', 'en', $3, $4, $5, $6)
          """,
          [
            .text("\(number)"), .text(row.to), .date(now + row.sent), .date(now + row.sent + 600),
            .date(row.delivered ? now : nil), .date(now + row.next),
          ])
      }
    }
    try await store.test { client in
      try await scrape(store, client)
      #expect(store.value(#"onside_messages_waiting{recipients="phones"}"#) == 2)
      #expect(store.value(#"onside_messages_oldest_seconds{recipients="phones"}"#) == 45)
      #expect(store.value(#"onside_messages_waiting{recipients="mailboxes"}"#) == 1)
      #expect(store.value(#"onside_messages_oldest_seconds{recipients="mailboxes"}"#) == 25)
    }
  }

  @Test("Orders that are stuck, by their state; a state's oldest order is known before it counts as stuck")
  func orders() async throws {
    try await TestStore().shop { shopper in
      let (store, client) = (shopper.store, shopper.client)
      func values(_ state: String) -> [Double?] {
        [
          store.value("onside_orders_stuck{state=\"\(state)\"}"),
          store.value("onside_orders_oldest_seconds{state=\"\(state)\"}"),
        ]
      }
      try await scrape(store, client)
      for state in ["open", "processing", "owing_refund", "unfinished"] {
        #expect(values(state) == [0, 0], "\(state)")
      }
      _ = try await shopper.order("coins")
      let bought = try await shopper.buy("remove_ads")
      let pending = try await shopper.order("coins")
      let owing = try await shopper.order("coins")
      try await store.core.dependencies.database.write { connection in
        for (id, change) in [(pending.id, "state = 'processing'"), (owing.id, "state = 'cancelled', owes_refund = 1")] {
          try connection.execute("UPDATE orders SET \(change) WHERE id = $1", [.text(id.description)])
        }
      }
      try await scrape(store, client)
      for state in ["open", "processing", "owing_refund", "unfinished"] {
        #expect(values(state) == [0, 5], "\(state)")
      }
      store.advance(by: .seconds(1000))
      try await scrape(store, client)
      #expect(values("processing") == [1, 1010] && values("open") == [0, 1010])
      store.advance(by: .seconds(90_000))
      try await scrape(store, client)
      for state in ["open", "processing", "owing_refund", "unfinished"] {
        #expect(values(state) == [1, 91_015], "\(state)")
      }
      let outcome = try await shopper.finish(bought.id)
      #expect(outcome == .noContent)
      try await scrape(store, client)
      #expect(values("unfinished") == [0, 0])
    }
  }

  @Test("STO-22: receipts that wait for their number, and the time since the oldest sale of them")
  func receipts() async throws {
    try await TestStore().shop { shopper in
      let (store, client) = (shopper.store, shopper.client)
      func values() -> [Double?] {
        [store.value("onside_receipts_waiting"), store.value("onside_receipts_waiting_oldest_seconds")]
      }
      try await shopper.buy("coins")
      store.advance(by: .seconds(20))
      try await shopper.buy("coins")
      try await scrape(store, client)
      #expect(values() == [2, 25])
      try await store.core.sequencer.assign()
      try await scrape(store, client)
      #expect(values() == [0, 0])
    }
  }

  @Test("MER-6: events that wait for their number, and the time since the oldest commit of them")
  func events() async throws {
    try await TestStore().shop { shopper in
      let (store, client) = (shopper.store, shopper.client)
      func values() -> [Double?] {
        [store.value("onside_merchant_events_waiting"), store.value("onside_merchant_events_waiting_oldest_seconds")]
      }
      try await store.append([.entitlementChanged, .entitlementChanged])
      store.advance(by: .seconds(20))
      try await scrape(store, client)
      #expect(values() == [2, 25])
      try await store.core.sequencer.assign()
      try await scrape(store, client)
      #expect(values() == [0, 0])
    }
  }

  @Test("WHK-4: endpoints that the store has disabled, and those that have failed for a day")
  func webhooks() async throws {
    let store = try await TestStore()
    try await store.test { client in
      func values() -> [Double?] {
        [store.value("onside_webhook_endpoints_disabled"), store.value("onside_webhook_endpoints_failing")]
      }
      let receiver = WebhookReceiver { $0.url.contains("gone") ? .gone : .broken }
      for url in ["https://gone.example/", "https://broken.example/"] { _ = try await store.endpoint(url) }
      let byOperator = try await store.endpoint()
      _ = try await store.core.webhooks.disable(byOperator)
      try await store.publish("s-1")
      await store.deliveries(to: receiver).drain()
      try await scrape(store, client)
      #expect(values() == [1, 0])
      store.advance(by: .seconds(86_400))
      try await scrape(store, client)
      #expect(values() == [1, 1])
    }
  }

  @Test("Every query of the gauges reads an index, and of orders a partial one")
  func plans() async throws {
    let store = try await TestStore(isObserved: true)
    let database = try #require(store.core.dependencies.database as? ObservedDatabase)
    let now = store.clock.now()
    _ = database.takeStatements()
    try await database.read { connection in
      let transaction = StoreTransaction(connection, at: now)
      _ = try GaugeRecords.deliveries(in: transaction)
      _ = try GaugeRecords.messages(in: transaction)
      _ = try GaugeRecords.receipts(in: transaction)
      _ = try GaugeRecords.events(in: transaction)
      _ = try GaugeRecords.webhooks(in: transaction)
      for state in GaugeRecords.OrderState.allCases {
        _ = try GaugeRecords.orders(state, since: now, in: transaction)
      }
    }
    let plans = try await database.takePlans()
    #expect(plans.count >= 16)
    for plan in plans {
      #expect(plan.tablesReadWithoutIndex.isEmpty && !plan.indexes.isEmpty, "\(plan)")
      #expect(!plan.indexes.contains("orders_by_account"), "\(plan)")
    }
  }

  @Test("The size of the database is told, and whether the store is ready")
  func size() async throws {
    let store = try await TestStore()
    try await store.test { client in
      try await scrape(store, client)
      let bytes = try #require(store.value("onside_database_bytes"))
      #expect(bytes > 0)
      #expect(store.value("onside_waiting_writes") == 0)
      #expect(store.value(#"onside_ready{part="database"}"#) == 1)
      #expect(store.value(#"onside_ready{part="integrity"}"#) == 1)
    }
  }

  @Test(
    "The size of the database's log is told, and a disk that fails",
    .onSQLite("PostgreSQL keeps the log and the disk to itself"))
  func log() async throws {
    let store = try await TestStore()
    try await store.test { client in
      try await scrape(store, client)
      let before = try #require(store.value("onside_database_log_bytes"))
      try await store.core.dependencies.database.write {
        try StoreSettings(connection: $0).set("large", to: String(repeating: "x", count: 1 << 20))
      }
      try await scrape(store, client)
      let value = try #require(store.value("onside_database_log_bytes"))
      #expect(value >= before + Double(1 << 20))
      let log = try OpenFile(store.folder.file("store.db-wal"))
      try log.refuseWrites()
      store.advance(by: .seconds(5))
      try await scrape(store, client)
      try log.takeWrites()
      #expect(store.value(#"onside_ready{part="database"}"#) == 0)
      #expect(store.value(#"onside_ready{part="integrity"}"#) == 1)
    }
  }

  @Test("The syncs that wait for a change are counted")
  func polls() async throws {
    let store = try await TestStore()
    try await store.test { client in
      let polls = (0..<3).map { store.core.changes.subscribe(account: "account \($0)") }
      try await scrape(store, client)
      #expect(store.value("onside_waiting_polls") == 3)
      for poll in polls { store.core.changes.unsubscribe(poll) }
      try await scrape(store, client)
      #expect(store.value("onside_waiting_polls") == 0)
    }
  }

  @Test("Values are read once for all questions of five seconds")
  func cached() async throws {
    let store = try await TestStore()
    try await store.test { client in
      try await scrape(store, client)
      try await store.core.dependencies.database.write { connection in
        try connection.execute("INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ('x', '', 0, 0)")
      }
      let series = #"onside_outbox_waiting{kind="other"}"#
      store.advance(by: .seconds(4))
      _ = try await client.execute(uri: "/metrics", method: .get) { $0 }
      #expect(store.value(series) == 0 && store.value("onside_gauges_age_seconds") == 4)
      store.advance(by: .seconds(1))
      _ = try await client.execute(uri: "/metrics", method: .get) { $0 }
      #expect(store.value(series) == 1 && store.value("onside_gauges_age_seconds") == 0)
    }
  }

  @Test("A database that does not answer holds no scrape up: the last values are told, with their age")
  func frozen() async throws {
    let store = try await TestStore()
    let (held, begins) = AsyncStream.makeStream(of: Void.self)
    let freed = DispatchSemaphore(value: 0)
    try await store.test { client in
      try await scrape(store, client)
      let writing = Task {
        try await store.core.dependencies.database.once.write { _ in
          begins.yield()
          return freed.wait(timeout: .now() + 120) == .success
        }
      }
      for await _ in held { break }
      store.advance(by: .seconds(20))
      async let asked = client.execute(uri: "/metrics", method: .get) { $0.status }
      // The route's, the scrape's and readiness's.
      try await store.deadlines(3)
      store.advance(by: .milliseconds(1500))
      let actualAsked = try await asked
      #expect(actualAsked == .ok)
      let value = try #require(store.value("onside_gauges_age_seconds"))
      #expect(value == 21.5)
      freed.signal()
      #expect(try await writing.value)
    }
  }

  @Test("STO-5: metrics and health are answered by a store that turns requests away")
  func overloaded() async throws {
    let store = try await TestStore { $0.limits.requestsInFlight = 1 }
    let slow = SlowRoute()
    try await store.test([slow]) { client in
      async let first = client.execute(uri: "/slow", method: .get) { $0.status }
      for await _ in slow.entered.stream { break }
      for path in ["/metrics", "/health/live", "/health/ready"] {
        let status = try await client.execute(uri: path, method: .get) { $0.status }
        #expect(status == .ok, "\(path)")
      }
      let refused = try await client.execute(uri: "/.well-known/jwks.json", method: .get) { $0.status }
      #expect(refused == .serviceUnavailable && store.value(#"onside_problems_total{code="overloaded"}"#) == 1)
      slow.mayGo.continuation.yield()
      let actualFirst = try await first
      #expect(actualFirst == .ok)
    }
  }
}
