import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Statements", .timeLimit(.minutes(5)))
struct StatementTests {
  /// A store with two apps that have sold in May and June 2026, in two currencies, with tax, refunds and a payout.
  private func busyStore() async throws -> TestStore {
    let store = try await TestStore { $0.commissionBasisPoints = 1500 }
    try await store.openShop()
    try await store.core.tax.add([
      try TaxRate(country: .netherlands, basisPoints: 2100, firstDay: "2012-10-01", source: "test")
    ])
    try await store.test { client in
      for _ in 1...2 {
        for country in ["NL", "JP"] {
          let account = try await store.account(country: country)
          let shopper = Shopper(store: store, client: client, accountID: account, country: country)
          try await shopper.buy("coins", quantity: 2)
          let refunded = try await shopper.buy("coins")
          try await store.core.orders.refund(refunded.id.uuid, because: .support)
        }
        _ = try await store.core.payouts.make(soldBefore: store.clock.now())
        // The clock begins on the 28th of May.
        store.advance(by: .seconds(7 * 86_400))
      }
      let account = try await store.account()
      try await Shopper(store: store, client: client, accountID: account, country: "NL").buy("remove_ads")
    }
    return store
  }

  private func statement(_ month: String, _ store: TestStore) async throws -> Statement {
    let month = try #require(StatementMonth(month))
    return try await store.core.dependencies.database.read {
      try Statement(of: TestShop.app.id, in: month, from: $0)
    }
  }

  @Test(
    "STO-3: the lines of each month add up to the app's balance in the ledger, and each month goes on from the last")
  func sums() async throws {
    let store = try await busyStore()
    let (may, june) = (try await statement("2026-05", store), try await statement("2026-06", store))
    for (statement, next) in [(may, "2026-06"), (june, "2026-07")] {
      let end = try #require(StatementMonth(next)).start
      let owed = try await store.core.dependencies.database.read { try Ledger.balances(before: end, in: $0) }
        .filter { $0.account.name == "app:\(TestShop.app.id)" }
      #expect(statement.currencies.map(\.code) == ["EUR", "JPY"])
      for currency in statement.currencies {
        let balance = owed.first { $0.amount.currency == currency }?.amount.minorUnits ?? 0
        let minorUnits = try statement.closing(currency).minorUnits
        #expect(minorUnits == -balance)
      }
    }
    let closing = try may.currencies.map { try may.closing($0) }.filter { !$0.isZero }
    #expect(june.opening == closing)
    let all = try await store.core.dependencies.database.read {
      try $0.rows("SELECT 1 AS one FROM ledger WHERE debit LIKE 'app:%' OR credit LIKE 'app:%'").count
    }
    #expect(may.lines.count + june.lines.count == all)
    #expect(
      Set(june.lines.map(\.kind)).isSuperset(of: ["sale", "tax", "commission", "refund", "tax_refund", "payout"]))
    let lines = try await statement("2026-07", store).lines
    #expect(lines.isEmpty)
  }

  @Test("STO-3: the amounts of the CSV file, read as decimals, add up to the balance")
  func csv() async throws {
    let store = try await busyStore()
    let june = try await statement("2026-06", store)
    let rows = try #require(CSV.rows(june.csv))
    #expect(rows[0] == ["booked_at", "cause", "kind", "product", "country", "currency", "amount"])
    #expect(rows.count == 1 + june.opening.count + june.lines.count)
    for currency in june.currencies {
      let amounts = try rows.filter { $0[5] == currency.code }.map { try #require(Decimal(string: $0[6])) }
      let sum = amounts.reduce(0, +)
      let closing = try june.closing(currency).decimal
      #expect(sum == closing)
    }
    let sale = try #require(rows.first { $0[2] == "sale" })
    #expect(sale[3] == "coins" && sale[4] == "NL" && UUID(uuidString: sale[1]) != nil)
  }

  @Test("The page has the sums by kind, every line, and nothing of another host")
  func page() async throws {
    let store = try await busyStore()
    let june = try await statement("2026-06", store)
    let html = try StatementPage(june, seller: "Lumen & Co", appName: "<Lumen>").html()
    for text in ["Statement 2026-06", "Lumen &amp; Co", "&lt;Lumen&gt;", "Balance before", "Commission refund"] {
      #expect(html.contains(text), "\(text)")
    }
    for line in june.lines { #expect(html.contains(line.cause) && html.contains(line.amount.amount)) }
    for currency in june.currencies { #expect(html.contains(try june.closing(currency).amount)) }
    #expect(!html.contains("://"))
  }

  @Test("A month is a year and a month, and nothing else")
  func months() throws {
    let december = try #require(StatementMonth("2026-12"))
    #expect(december.start.ISO8601Format() == "2026-12-01T00:00:00Z")
    #expect(december.end.ISO8601Format() == "2027-01-01T00:00:00Z")
    for text in ["2026-13", "2026-00", "2026-1", "202611", "2026-11-01", "November", "", "２026-1"] {
      #expect(StatementMonth(text) == nil, "\(text)")
    }
  }
}
