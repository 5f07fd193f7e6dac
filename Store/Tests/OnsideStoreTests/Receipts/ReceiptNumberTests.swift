import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Receipt numbers", .timeLimit(.minutes(5)))
struct ReceiptNumberTests {
  private func numbers(_ store: TestStore) async throws -> [String] {
    try await store.core.dependencies.database.read { connection in
      let receipts = "SELECT * FROM receipt_numbers WHERE number IS NOT NULL ORDER BY entity, year, number"
      return try connection.rows(receipts).map { row in
        ReceiptNumber(entity: try row.text("entity"), year: try row.integer("year"), number: try row.integer("number"))
          .description
      }
    }
  }

  @Test("STO-3: purchases at the same time in two processes get the numbers from 1 on, none missing and none twice")
  func concurrent() async throws {
    let first = try await TestStore()
    try await first.openShop()
    let second = try await TestStore(in: first.folder, clock: first.clock, seed: 2)
    try await second.core.reload()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in [first, second] {
        group.addTask {
          try await store.test { client in
            try await withThrowingTaskGroup(of: Void.self) { purchases in
              for _ in 0..<20 {
                purchases.addTask {
                  let account = try await store.account()
                  let shopper = Shopper(store: store, client: client, accountID: account, country: "NL")
                  let order = try await shopper.order("coins")
                  // A sale that is rolled back takes no number.
                  await #expect(throws: RolledBack.self) {
                    try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
                      try ReceiptRecords.add(order.id.uuid, entity: "R", in: transaction)
                      throw RolledBack()
                    }
                  }
                  let outcome = try await shopper.pay(order, with: .succeeds)
                  #expect(outcome == .paid)
                }
              }
              try await purchases.waitForAll()
            }
          }
        }
        group.addTask { for _ in 0..<20 { try await store.core.sequencer.assign() } }
      }
      try await group.waitForAll()
    }
    try await first.core.sequencer.assign()
    let actualNumbers = try await numbers(first)
    #expect(actualNumbers == (1...40).map { "R-2026-0000\($0 < 10 ? "0" : "")\($0)" })
    let faults = try await first.core.dependencies.database.read { try Reconciliation($0).faults() }
    #expect(faults == [])
  }

  @Test("STO-3: each year and each legal entity counts from 1; what cost nothing, or was owned already, has no number")
  func series() async throws {
    // The last moment of 2026.
    let clock = ManualClock(Date(timeIntervalSince1970: 1_798_761_599))
    let store = try await TestStore(clock: clock)
    try await store.shop { shopper in
      try await shopper.buy("coins")
      let owned = try await shopper.buy("remove_ads")
      let duplicate = try await shopper.order("remove_ads")
      #expect(duplicate.duplicateOf == owned.id)
      store.advance(by: .seconds(1))
      try await shopper.buy("coins")
    }
    let other = try await TestStore(in: store.folder, clock: clock, seed: 2) { $0.seller.id = "NL1" }
    try await other.shop { try await $0.buy("coins") }
    try await other.core.sequencer.assign()
    let actualNumbers = try await numbers(store)
    #expect(actualNumbers == ["NL1-2027-000001", "R-2026-000001", "R-2026-000002", "R-2027-000001"])
  }

  @Test("The receipt shows its number, the seller, and the seller's number")
  func page() async throws {
    let store = try await TestStore {
      $0.seller.name = "Lumen Trading B.V."
      $0.seller.address = "Keizersgracht 1, Amsterdam"
      $0.seller.taxNumber = "NL000099998B57"
    }
    try await store.shop { shopper in
      let order = try await shopper.buy("coins")
      let token = store.core.orders.json.tokens.token(orderID: order.id.uuid)
      let html = String(buffer: try await shopper.get("/receipt/\(token)").body)
      for text in ["R-2026-000001", "Lumen Trading B.V., Keizersgracht 1, Amsterdam", "NL000099998B57"] {
        #expect(html.contains(text), "\(text)")
      }
    }
  }

  @Test("A receipt whose number cannot be written is shown without it; a page numbers no events")
  func unwritable() async throws {
    try await TestStore().shop { shopper in
      let (order, database) = (try await shopper.buy("coins"), shopper.store.core.dependencies.database)
      let path = "/receipt/\(shopper.store.core.orders.json.tokens.token(orderID: order.id.uuid))"
      try await database.write {
        try $0.execute(
          "INSERT INTO receipt_numbers(order_id, entity, year, number, sold_at) VALUES ('x', 'R', 2026, 1, 0)")
      }
      let answer = try await shopper.get(path)
      let page = String(buffer: answer.body)
      #expect(answer.status == .ok && page.contains(order.id.description) && !page.contains("R-2026-"))
      try await database.write { try $0.execute("DELETE FROM receipt_numbers WHERE order_id = 'x'") }
      let numbered = String(buffer: try await shopper.get(path).body)
      #expect(numbered.contains("R-2026-000001"))
      let waiting = try await database.read { try $0.rows("SELECT type FROM merchant_events WHERE number IS NULL") }
      #expect(!waiting.isEmpty)
    }
  }

  @Test("STO-3: a number that is missing or has no sale is a fault of the books")
  func fault() async throws {
    for sql in [
      "DELETE FROM receipt_numbers WHERE number = 1", "UPDATE receipt_numbers SET number = 5 WHERE number = 3",
      "UPDATE receipt_numbers SET order_id = 'x' WHERE number = 2", "UPDATE receipt_counters SET newest = 4",
      "UPDATE receipt_numbers SET number = NULL WHERE number = 2",
    ] {
      let store = try await TestStore()
      try await store.shop { shopper in
        for _ in 0..<3 { try await shopper.buy("coins") }
        try await store.core.sequencer.assign()
        let database = store.core.dependencies.database
        let faults = try await database.read { try Reconciliation($0).faults() }
        #expect(faults == [])
        try await database.write { try $0.execute(sql) }
        let rules = try await database.read { try Reconciliation($0).faults() }.map(\.rule)
        #expect(rules == [.receipt], "\(sql)")
      }
    }
  }
}

extension ReceiptNumberTests {
  @Test(
    "STO-3: only a sale of the newest minute may wait for its number; without a later number any may",
    arguments: [(59, false), (61, true)])
  func waiting(seconds: Int, isFault: Bool) async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let database = store.core.dependencies.database
      let skipped = try await shopper.buy("coins")
      store.advance(by: .seconds(seconds))
      let later = try await shopper.buy("coins")
      let faults = try await database.read { try Reconciliation($0).faults() }
      #expect(faults == [])
      try await database.write { connection in
        try connection.execute(
          "UPDATE receipt_numbers SET number = 1 WHERE order_id = $1", [.text(later.id.description)])
        try connection.execute("INSERT INTO receipt_counters(entity, year, newest) VALUES ('R', 2026, 1)")
      }
      let subjects = try await database.read { try Reconciliation($0).faults() }.map(\.subject)
      #expect(subjects == (isFault ? [skipped.id.description] : []))
    }
  }

  @Test("STO-22: the page of a receipt without a number numbers it, after the receipts of earlier sales")
  func pageNumbers() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      try await shopper.buy("coins")
      store.advance(by: .seconds(1))
      let order = try await shopper.buy("coins")
      let waiting = try await numbers(store)
      #expect(waiting.isEmpty)
      let token = store.core.orders.json.tokens.token(orderID: order.id.uuid)
      let html = String(buffer: try await shopper.get("/receipt/\(token)").body)
      #expect(html.contains("R-2026-000002"))
      let actualNumbers = try await numbers(store)
      #expect(actualNumbers == ["R-2026-000001", "R-2026-000002"])
    }
  }
}

private struct RolledBack: Error {}
