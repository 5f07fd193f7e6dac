import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Payouts", .timeLimit(.minutes(5)))
struct PayoutTests {
  private func faults(_ store: TestStore) async throws -> [Reconciliation.Fault] {
    try await store.core.dependencies.database.read { try Reconciliation($0).faults() }
  }

  @Test("STO-3: a balance is paid once, also when two processes pay at the same time")
  func once() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 1000 }
    let other = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    try await store.shop { shopper in
      for _ in 0..<3 { try await shopper.buy("coins") }
      store.advance(by: .seconds(60))
      let made = try await withThrowingTaskGroup(of: [Payout].self) { group in
        for index in 0..<10 {
          group.addTask {
            try await (index.isMultiple(of: 2) ? store : other).core.payouts.make(soldBefore: store.clock.now())
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      // 3 × (0.99 less a share of 0.09).
      #expect(made.map(\.amount.minorUnits) == [270] && made.map(\.app) == [TestShop.app.id])
      let balances = try await store.balances()
      #expect(balances["app:\(TestShop.app.id)"] == 0 && balances[Ledger.payouts] == -270)
      let actualFaults = try await faults(store)
      #expect(actualFaults == [])
    }
  }

  @Test("STO-3: a payout waits until its sales are old enough, has their refunds, and a debt waits for further sales")
  func hold() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 0 }
    try await store.shop { shopper in
      func make(daysAgo: Double) async throws -> [Int64] {
        try await store.core.payouts.make(soldBefore: store.clock.now() - daysAgo * 86_400).map(\.amount.minorUnits)
      }
      let first = try await shopper.buy("season")
      let refunded = try await shopper.buy("remove_ads")
      store.advance(by: .seconds(10 * 86_400))
      try await shopper.buy("coins")
      try await store.core.orders.refund(refunded.id.uuid, because: .support)
      let outcome = try await make(daysAgo: 14)
      #expect(outcome == [])
      let secondOutcome = try await make(daysAgo: 7)
      #expect(secondOutcome == [1999])
      let thirdOutcome = try await make(daysAgo: 7)
      #expect(thirdOutcome == [])
      try await store.core.orders.refund(first.id.uuid, because: .support)
      store.advance(by: .seconds(1))
      // 0.99 was sold, and 19.99 is owed.
      let fourthOutcome = try await make(daysAgo: 0)
      #expect(fourthOutcome == [])
      for _ in 0..<21 { try await shopper.buy("coins") }
      store.advance(by: .seconds(1))
      let fifthOutcome = try await make(daysAgo: 0)
      #expect(fifthOutcome == [22 * 99 - 1999])
      let actualFaults = try await faults(store)
      #expect(actualFaults == [])
    }
  }

  @Test("STO-3: a payout is sent and settled once, in this order, however often it is said, and booked from the bank")
  func steps() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 0 }
    try await store.shop { shopper in
      try await shopper.buy("coins")
      store.advance(by: .seconds(1))
      let payouts = store.core.payouts
      let id = try #require(try await payouts.make(soldBefore: store.clock.now()).first).id
      await #expect(throws: PayoutError.notSent(id)) { try await payouts.markSettled(id) }
      await #expect(throws: PayoutError.unknown("x")) { try await payouts.markSent("x") }
      for _ in 0..<2 {
        let state = try await payouts.markSent(id, reference: "SEPA 1").state
        #expect(state == .sent)
      }
      await #expect(throws: PayoutError.sentAlready(id, reference: "SEPA 1")) {
        try await payouts.markSent(id, reference: "SEPA 2")
      }
      try await withThrowingTaskGroup(of: Payout.self) { group in
        for _ in 0..<5 { group.addTask { try await payouts.markSettled(id) } }
        for try await payout in group { #expect(payout.state == .settled) }
      }
      let balances = try await store.balances()
      #expect(balances[Ledger.payouts] == 0 && balances[Ledger.bank] == -99)
      let references = try await payouts.newest(10).map(\.reference)
      #expect(references == ["SEPA 1"])
      let newest = try await payouts.newest(10, app: "other")
      #expect(newest.isEmpty)
      let actualFaults = try await faults(store)
      #expect(actualFaults == [])
    }
  }

  @Test("STO-3: a payout that fails, also after it had settled, is the app's again, and is paid with the next one")
  func fails() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 0 }
    try await store.shop { shopper in
      try await shopper.buy("coins")
      store.advance(by: .seconds(1))
      let payouts = store.core.payouts
      for settles in [false, true] {
        let made = try await payouts.make(soldBefore: store.clock.now())
        let id = try #require(made.first).id
        #expect(made.map(\.amount.minorUnits) == [99])
        try await payouts.markSent(id)
        if settles { try await payouts.markSettled(id) }
        for _ in 0..<2 {
          let state = try await payouts.markFailed(id).state
          #expect(state == .failed)
        }
        await #expect(throws: PayoutError.failed(id)) { try await payouts.markSettled(id) }
        let balances = try await store.balances()
        #expect(balances["app:\(TestShop.app.id)"] == -99)
        #expect(balances[Ledger.payouts, default: 0] == 0 && balances[Ledger.bank, default: 0] == 0)
        let actualFaults = try await faults(store)
        #expect(actualFaults == [])
      }
      let minorUnits = try await payouts.make(soldBefore: store.clock.now()).map(\.amount.minorUnits)
      #expect(minorUnits == [99])
      let secondFaults = try await faults(store)
      #expect(secondFaults == [])
    }
  }

  @Test("STO-3: a payout that is not in the books, or is there otherwise, is a fault")
  func fault() async throws {
    for sql in [
      "UPDATE payouts SET amount = 1", "UPDATE payouts SET state = 'settled'", "UPDATE payouts SET app_id = 'x'",
    ] {
      let store = try await TestStore()
      try await store.shop { shopper in
        try await shopper.buy("coins")
        store.advance(by: .seconds(1))
        _ = try await store.core.payouts.make(soldBefore: store.clock.now())
        let actualFaults = try await faults(store)
        #expect(actualFaults == [])
        try await store.core.dependencies.database.write { try $0.execute(sql) }
        let secondFaults = try await faults(store)
        #expect(secondFaults.contains { $0.rule == .payout }, "\(sql)")
      }
    }
  }
}
