import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Ledger", .timeLimit(.minutes(5)))
struct LedgerTests {
  @Test("STO-3: a sale gives the app its price less the store's share, in whole units")
  func sale() async throws {
    try await TestStore { $0.commissionBasisPoints = 1000 }.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let entries = try await shopper.store.ledger(order.id)
      #expect(entries.map(\.kind) == ["commission", "sale"])
      #expect(entries[0].debit == "app:io.example.lumen")
      #expect(entries[0].credit == "store:commission")
      #expect(entries[0].amount.minorUnits == 49)
      #expect(entries[1].debit == "provider:sandbox")
      #expect(entries[1].credit == "app:io.example.lumen")
      #expect(entries[1].amount.minorUnits == 499)
    }
  }

  @Test("STO-3: a refund takes back exactly what was booked, also when the share has changed since")
  func refund() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 1000 }
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let changed = try await TestStore(in: store.folder, clock: store.clock) { $0.commissionBasisPoints = 3000 }
      try await changed.core.orders.refund(order.id.uuid, because: .support)
      let balances = try await store.balances()
      #expect(balances.count == 3)
      #expect(balances.values.allSatisfy { $0 == 0 })
      await #expect(throws: OrderTransitionError.self) {
        try await changed.core.orders.refund(try await shopper.order("coins").id.uuid, because: .support)
      }
    }
  }

  @Test("STO-3: a row of the books cannot be changed or deleted")
  func appendOnly() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("coins")
      let before = try await shopper.store.ledger(order.id)
      for sql in ["UPDATE ledger SET amount = 1", "DELETE FROM ledger", "UPDATE ledger SET kind = 'x'"] {
        await #expect(throws: StorageError.self) {
          try await shopper.store.core.dependencies.database.write { try $0.execute(sql) }
        }
      }
      let actualLedger = try await shopper.store.ledger(order.id)
      #expect(actualLedger == before)
    }
  }

  @Test(
    "STO-3: the share is rounded down and never overflows",
    arguments: [(1, 0), (9, 0), (10, 1), (499, 49), (Int64.max, Int64.max / 10)])
  func share(amount: Int64, share: Int64) throws {
    let money = try TestShop.money(amount)
    #expect(Ledger.share(of: money, basisPoints: 1000).minorUnits == share)
    #expect(Ledger.share(of: money, basisPoints: 10_000).minorUnits == amount)
    #expect(Ledger.share(of: money, basisPoints: 0).isZero)
  }

  @Test(
    "STO-3: after any run of purchases, declines, cancels, refunds and disputes the books say what the orders say",
    arguments: 1...5)
  func anyRun(seed: UInt64) async throws {
    let store = try await TestStore(seed: seed)
    let choices = SeededRandomSource(seed: seed)
    let taxRate: Int64 = seed.isMultiple(of: 2) ? 2100 : 0
    try await store.core.tax.add([
      try TaxRate(country: .netherlands, basisPoints: taxRate, firstDay: "2012-10-01", source: "test")
    ])
    try await store.shop { shopper in
      for step in 0..<40 {
        let byte = Int(choices.bytes(1)[0])
        let order = try await shopper.order(byte.isMultiple(of: 2) ? "coins" : "season")
        let card = SandboxCard.allCases[byte % SandboxCard.allCases.count]
        if byte.isMultiple(of: 5) { try await shopper.post("/v1/orders/\(order.id)/cancel") }
        _ = try await shopper.pay(order, with: card)
        _ = try await store.event("succeeded", payment: "x-\(step)", order: order.id, with: shopper.client)
        if byte.isMultiple(of: 3) { try? await store.core.orders.refund(order.id.uuid, because: .support) }
        store.advance(by: .seconds(7))
        try await store.core.deliverOutbox()
        let faults = try await store.faults()
        #expect(faults == [], "seed \(seed), step \(step)")
        let orderFaults = try await store.orderFaults(taxRate: taxRate)
        #expect(orderFaults == [], "seed \(seed), step \(step)")
      }
      store.advance(by: .seconds(1000))
      // What comes late goes back with the next round.
      for _ in 0..<2 { try await store.core.deliverOutbox() }
      let secondFaults = try await store.faults()
      #expect(secondFaults == [])
      let balances = try await store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] == 0)
      let secondOrderFaults = try await store.orderFaults(taxRate: taxRate)
      #expect(secondOrderFaults == [])
    }
  }
}

extension TestStore {
  /// What the books say wrong.
  fileprivate func faults() async throws -> [Reconciliation.Fault] {
    try await core.dependencies.database.read { try Reconciliation($0).faults(limit: 1000) }
  }

  /// Where the books have earned the app, the tax office or the store something else than the orders say.
  fileprivate func orderFaults(taxRate: Int64) async throws -> [String] {
    let basisPoints = core.dependencies.configuration.commissionBasisPoints
    return try await core.dependencies.database.read { connection in
      try connection.rows(
        """
        SELECT o.*, CASE WHEN EXISTS (SELECT 1 FROM disputes d WHERE d.order_id = o.id AND d.is_withdrawn = 1)
          THEN 1 ELSE 0 END AS is_taken FROM orders o
        """
      ).compactMap { row in
        let (id, price) = (try row.text("id"), Money(minorUnits: try row.integer("amount"), currency: .eur))
        let isPaid = try row.text("state") == "paid" && row["revoked_at"] == .null && row["duplicate_of"] == .null
        // What a bank has taken for a dispute is booked back before the dispute ends.
        let isSold = try isPaid && row.integer("is_taken") == 0
        // To the nearest cent, half a cent up.
        let tax = isSold ? (2 * price.minorUnits * taxRate + 10_000 + taxRate) / (2 * (10_000 + taxRate)) : 0
        let net = try TestShop.money(price.minorUnits - tax)
        let share = isSold ? Ledger.share(of: net, basisPoints: basisPoints).minorUnits : 0
        let expected = [
          "app:\(TestShop.app.id)": (isSold ? net.minorUnits : 0) - share, "tax:NL": tax, Ledger.commission: share,
        ]
        let entries = try Ledger.entries(of: try #require(UUID(uuidString: id)), in: connection)
        let earned = expected.keys.map { account in
          entries.reduce(Int64(0)) {
            $0 + ($1.credit == account ? $1.amount.minorUnits : 0) - ($1.debit == account ? $1.amount.minorUnits : 0)
          }
        }
        return earned == Array(expected.values) ? nil : "\(id): \(earned), expected \(expected)"
      }
    }
  }
}
