import Foundation
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

@Suite("Export of the ledger", .timeLimit(.minutes(5)))
struct LedgerExportTests {
  /// A store that has sold in four currencies with 0 to 4 decimal places, in two of them with tax, refunded a sale,
  /// returned one payment too many, has another one to return, and has paid the app.
  private func busyStore() async throws -> TestStore {
    let store = try await TestStore { $0.commissionBasisPoints = 1500 }
    try await store.openShop()
    for (country, points) in [("NL", 2100), ("JP", 1000)] {
      let country = try TestShop.country(country)
      try await store.core.tax.add([
        try TaxRate(country: country, basisPoints: Int64(points), firstDay: "2019-10-01", source: "test")
      ])
    }
    try await store.test { client in
      for country in ["NL", "JP", "KW", "CL"] {
        let account = try await store.account(country: country)
        let shopper = Shopper(store: store, client: client, accountID: account, country: country)
        try await shopper.buy("coins", quantity: 3)
        let refunded = try await shopper.buy("coins")
        try await store.core.orders.refund(refunded.id.uuid, because: .support)
        guard country == "NL" else { continue }
        let twice = try await shopper.order("remove_ads")
        let outcome = try await shopper.pay(twice, with: .settlesLater)
        #expect(outcome == .pending)
        try await shopper.buy("remove_ads")
        try await store.settle()
        let sold = try await shopper.buy("season")
        let status = try await store.event("succeeded", payment: "more, and; more", order: sold.id, with: client)
        #expect(status == .noContent)
      }
    }
    store.advance(by: .seconds(1))
    let payouts = try await store.core.payouts.make(soldBefore: store.clock.now())
    #expect(payouts.count == 4)
    try await store.core.payouts.markSent(payouts[0].id)
    try await store.core.payouts.markSettled(payouts[0].id)
    return store
  }

  private func export(_ store: TestStore, _ export: LedgerExport) async throws -> HLedger {
    let path = store.folder.file("\(UUID()).journal")
    try await export.write(store.core.dependencies.database, to: path)
    return HLedger(folder: store.folder, journal: path)
  }

  @Test(
    "STO-3: hledger finds the journal balanced and in order, and its balances are those of the rows",
    .withHLedger, arguments: [1, 4, 5000])
  func balances(pageSize: Int) async throws {
    let store = try await busyStore()
    var whole = LedgerExport()
    whole.pageSize = pageSize
    let hledger = try await export(store, whole)
    let complaints = try await hledger.complaints()
    #expect(complaints == "")
    let expected = try await store.rowBalances()
    let actualBalances = try await hledger.balances()
    #expect(actualBalances == expected.filter { $0.value != 0 })
    #expect(expected["liabilities:refunds-due EUR"] == -1999 && expected["revenues:commission JPY"] == -49)
    #expect(expected["liabilities:tax:JP JPY"] == -33)
    #expect(Set(expected.keys.map { $0.suffix(3) }) == ["EUR", "JPY", "KWD", "CLF"])
  }

  @Test("STO-3: hledger's balance sheet and income statement are the store's own", .withHLedger)
  func balanceSheet() async throws {
    let store = try await busyStore()
    let hledger = try await export(store, LedgerExport())
    let own = try await store.core.dependencies.database.read { try Ledger.balances(in: $0) }
    let (earned, rest) = (own.filter { $0.account.kind == .revenue }, own.filter { $0.account.kind != .revenue })
    #expect(!earned.isEmpty && !rest.isEmpty)
    let report = try await hledger.report("balancesheet")
    #expect(report == Self.shown(rest))
    let secondReport = try await hledger.report("incomestatement")
    #expect(secondReport == Self.shown(earned))
  }

  @Test("STO-3: a period's journal begins with the balances before it, and its earnings are its own", .withHLedger)
  func period() async throws {
    let store = try await busyStore()
    let before = try await store.rowBalances()
    // Midnight of the clock's next day.
    let day = Date(timeIntervalSince1970: (store.clock.now().timeIntervalSince1970 / 86400).rounded(.up) * 86400)
    store.advance(by: .seconds(2 * 86400))
    try await store.test { client in
      let account = try await store.account()
      try await Shopper(store: store, client: client, accountID: account, country: "NL").buy("remove_ads")
    }
    let later = try await export(store, LedgerExport(from: day))
    let complaints = try await later.complaints()
    #expect(complaints == "")
    let own = try await store.core.dependencies.database.read { try Ledger.balances(in: $0) }
    let actualReport = try await later.report("balancesheet")
    #expect(actualReport == Self.shown(own.filter { $0.account.kind != .revenue }))
    let report = try await later.report("incomestatement")
    #expect(report == ["revenues:commission EUR": 61])
    let balances = try await later.balances("equity")["equity:retained-earnings EUR"]
    #expect(balances == before["revenues:commission EUR"])
    let earlier = try await export(store, LedgerExport(until: day))
    let secondComplaints = try await earlier.complaints()
    #expect(secondComplaints == "")
    let actualBalances = try await earlier.balances()
    #expect(actualBalances == before.filter { $0.value != 0 })
    let empty = try await export(store, LedgerExport(from: day, until: day))
    let thirdComplaints = try await empty.complaints()
    #expect(thirdComplaints == "")
  }

  @Test("STO-3: the same ledger gives the same journal; a transaction names its order, kind, time and rate")
  func text() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 1000 }
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let paths = ["a", "b"].map { store.folder.file($0) }
      for path in paths {
        let value = try await LedgerExport().write(store.core.dependencies.database, to: path)
        #expect(value == 2)
      }
      let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
      #expect(texts[0] == texts[1])
      let time = store.clock.now().ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      let sale = """
        \(time.prefix(10)) (\(order.id)) sale  ; kind:sale, at:\(time), basis_points:1000
            assets:providers:sandbox                                        4.99 EUR
            liabilities:apps:io.example.lumen                              -4.99 EUR


        """
      #expect(texts[0].hasSuffix(sale), "\(texts[0])")
      #expect(texts[0].contains("commodity 1000.00 EUR\n"))
    }
  }

  @Test("An account of another version is refused, and no file is left")
  func unknownAccount() async throws {
    let store = try await TestStore()
    try await store.core.dependencies.database.write { connection in
      try connection.execute(
        """
        INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
        VALUES ('a', 'sale', 'moon:cheese', 'app:b', 1, 'EUR', 0)
        """)
    }
    let path = store.folder.file("journal")
    await #expect(throws: LedgerExportError.unknownAccount("moon:cheese")) {
      try await LedgerExport().write(store.core.dependencies.database, to: path)
    }
    let contentsOfDirectory = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path())
    #expect(
      contentsOfDirectory.allSatisfy {
        !$0.hasPrefix("journal")
      })
  }

  /// Balances as reports show them: what is owed or earned is positive.
  private static func shown(_ balances: [LedgerBalance]) -> [String: Int64] {
    Dictionary(
      uniqueKeysWithValues: balances.map { balance in
        let amount = balance.amount.minorUnits
        return ("\(balance.account.path) \(balance.amount.currency)", balance.account.kind == .asset ? amount : -amount)
      })
  }
}

extension TestStore {
  /// The balance of each account and currency, summed row by row.
  fileprivate func rowBalances() async throws -> [String: Int64] {
    let rows = try await core.dependencies.database.read { try $0.rows("SELECT * FROM ledger") }
    return try rows.reduce(into: [:]) { sums, row in
      let (amount, currency) = (try row.integer("amount"), try row.text("currency"))
      sums["\(try LedgerAccount(row.text("debit")).path) \(currency)", default: 0] += amount
      sums["\(try LedgerAccount(row.text("credit")).path) \(currency)", default: 0] -= amount
    }
  }
}
