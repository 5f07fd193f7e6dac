import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Disputes that the sandbox plays.
@Suite("Sandbox: disputes", .timeLimit(.minutes(5)))
struct SandboxDisputeTests {
  private func disputes(_ store: TestStore) async throws -> [Dispute] {
    try await store.core.dependencies.database.read { try Dispute.newest(10, in: $0) }
  }

  /// Pays with a card, and lets some seconds pass.
  private func paid(_ shopper: Shopper, with card: SandboxCard, seconds: Int = 10) async throws -> OrderMessage {
    let order = try await shopper.order("remove_ads")
    let outcome = try await shopper.pay(order, with: card)
    #expect(outcome == .paid)
    try await later(seconds, at: shopper.store)
    return order
  }

  private func later(_ seconds: Int, at store: TestStore) async throws {
    store.advance(by: .seconds(seconds))
    try await store.core.deliverOutbox()
  }

  @Test("PAY-5: the bank takes the money; a dispute that is lost takes the purchase away")
  func lost() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let order = try await paid(shopper, with: .disputeLost)
      let open = try #require(try await disputes(store).first)
      #expect(open.state == .open && open.isWithdrawn && open.amount == order.price.money)
      let balances = try await store.balances()
      #expect(balances["provider:sandbox", default: 0] == 0)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
      await #expect(throws: RefundError.disputed(open.id)) {
        try await store.core.refunds.refund(order.id.uuid, because: .refund)
      }
      try await later(20, at: store)
      let closed = try #require(try await disputes(store).first)
      #expect(closed.state == .lost && closed.isWithdrawn && closed.id == open.id)
      let revocationReason = try await shopper.order(order.id).revocationReason
      #expect(revocationReason == .chargeback)
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("PAY-5: a dispute that is won brings the money back, and the purchase stays")
  func won() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let order = try await paid(shopper, with: .disputeWon)
      let balances = try await store.balances()
      #expect(balances["provider:sandbox", default: 0] == 0)
      try await later(20, at: store)
      let closed = try #require(try await disputes(store).first)
      #expect(closed.state == .won && !closed.isWithdrawn)
      let secondBalances = try await store.balances()["provider:sandbox"]
      #expect(secondBalances == order.price.money.minorUnits)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
      // The money is here again, and may be refunded.
      try await store.core.refunds.refund(order.id.uuid, because: .refund)
      try await later(1, at: store)
      let states = try await store.core.refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.failed, .settled])
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("A dispute is about what is left of a payment; about nothing there is none", arguments: [200, 499])
  func afterRefund(refunded: Int64) async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let order = try await paid(shopper, with: .disputeLost, seconds: 0)
      try await store.core.refunds.refund(
        order.id.uuid, amount: try TestShop.money(refunded), because: .refund)
      try await later(1, at: store)
      for _ in 0..<2 { try await later(20, at: store) }
      let minorUnits = try await disputes(store).map(\.amount.minorUnits)
      #expect(minorUnits == (refunded == 499 ? [] : [499 - refunded]))
      let waiting = try await store.core.outboxStatus().waiting
      #expect(waiting == 0)
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("PAY-5: a refund that reaches the sandbox while the bank has the money fails")
  func refundMeanwhile() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let order = try await paid(shopper, with: .disputeWon, seconds: 0)
      try await store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(100), because: .refund)
      let payment = try #require(try await store.payments(of: order.id).first)
      for kind in [SandboxEvent.Kind.disputeOpened, .fundsWithdrawn] {
        let event = SandboxEvent(
          eventID: "\(payment):\(kind.rawValue)", type: kind, paymentID: payment, orderID: order.id.description,
          amount: 499, currency: "EUR", paymentAmount: 499)
        _ = try await SandboxRecords(database: store.core.dependencies.database)
          .noteDispute(event, at: store.clock.now())
      }
      try await later(0, at: store)
      let refund = try #require(try await store.core.refunds.refunds(of: order.id.uuid).first)
      #expect(refund.state == .failed)
      for _ in 0..<2 { try await later(20, at: store) }
      let states = try await disputes(store).map(\.state)
      #expect(states == [.won])
      let balances = try await store.balances()["provider:sandbox"]
      #expect(balances == 499)
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("What happened to a dispute is in the sandbox's list, and changes nothing when it is told again")
  func listed() async throws {
    try await TestStore().shop { shopper in
      let (store, start) = (shopper.store, shopper.store.clock.now())
      let order = try await paid(shopper, with: .disputeWon)
      try await later(20, at: store)
      let provider = store.core.providers.active
      let payment = try #require(try await store.payments(of: order.id).first)
      let page = try await provider.notices(since: start + 5, after: nil)
      #expect(
        page.notices.map(\.id)
          == ["succeeded", "dispute_opened", "funds_withdrawn", "funds_reinstated", "dispute_won"]
          .map { "\(payment):\($0)" })
      let before = try await store.balances()
      for notice in page.notices { #expect(try await !store.core.providerEvents.take(notice, from: provider)) }
      let balances = try await store.balances()
      #expect(balances == before)
    }
  }

  @Test("The books are compared: a dispute that the sandbox does not have is found")
  func compared() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      _ = try await paid(shopper, with: .disputeLost, seconds: 10)
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
      try await store.core.dependencies.database.write { try $0.execute("DELETE FROM sandbox_disputes") }
      let rules = try await store.bookFaults().map(\.rule)
      #expect(rules == [.provider])
    }
  }
}
