import HTTPTypes
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales

@Suite("Two payments for one thing", .timeLimit(.minutes(5)))
struct DoublePaymentTests {
  @Test("QUE-10: of two orders for one non-consumable, paid at the same time, one is charged and the other goes back")
  func processingTwice() async throws {
    try await TestStore().shop { shopper in
      let (slow, quick) = (try await shopper.order("remove_ads"), try await shopper.order("remove_ads"))
      let outcome = try await shopper.pay(slow, with: .settlesLater)
      #expect(outcome == .pending)
      let secondOutcome = try await shopper.pay(quick, with: .succeeds)
      #expect(secondOutcome == .paid)
      try await shopper.store.settle()
      let late = try await shopper.order(slow.id)
      #expect(late.state == .paid && late.duplicateOf == quick.id)
      let booked = try await shopper.store.ledger(slow.id)
      #expect(!booked.contains { $0.kind == "sale" })
      #expect(booked.map { String($0.kind.prefix { $0 != ":" }) }.sorted() == ["surplus", "surplus_refund"])
      let ledgerCount = try await shopper.store.ledger(quick.id).filter { $0.kind == "sale" }.count
      #expect(ledgerCount == 1)
    }
  }

  @Test("STO-3: a dispute of the second payment that is won does not give a purchase back that was refunded")
  func disputedDuplicate() async throws {
    try await TestStore().shop { shopper in
      let (slow, quick) = (try await shopper.order("remove_ads"), try await shopper.order("remove_ads"))
      let outcome = try await shopper.pay(slow, with: .settlesLater)
      #expect(outcome == .pending)
      let secondOutcome = try await shopper.pay(quick, with: .succeeds)
      #expect(secondOutcome == .paid)
      try await shopper.store.settle()
      try await shopper.store.core.refunds.refund(quick.id.uuid, because: .refund)
      try await shopper.store.settle()
      let revokedAt = try await shopper.order(slow.id).revokedAt
      #expect(revokedAt != nil)
      let payment = try #require(try await shopper.store.payments(of: slow.id).first)
      for event in ["dispute_opened", "dispute_won"] {
        let answer = try await shopper.store.event(event, payment: payment, order: slow.id, with: shopper.client)
        #expect(answer == .noContent)
      }
      for order in [slow, quick] {
        let actualRevokedAt = try await shopper.order(order.id).revokedAt
        #expect(actualRevokedAt != nil)
      }
    }
  }

  @Test("QUE-10: money that arrives late for an order that became a duplicate goes back")
  func lateMoney() async throws {
    try await TestStore().shop { shopper in
      let (first, second) = (try await shopper.order("remove_ads"), try await shopper.order("remove_ads"))
      let outcome = try await shopper.pay(first, with: .secondStep)
      #expect(outcome == .secondStep)
      let secondOutcome = try await shopper.pay(second, with: .succeeds)
      #expect(secondOutcome == .paid)
      let thirdOutcome = try await shopper.pay(first, with: .succeeds)
      #expect(thirdOutcome == .paid)
      let payment = try #require(try await shopper.store.payments(of: first.id).first)
      let answer = try await shopper.store.event("succeeded", payment: payment, order: first.id, with: shopper.client)
      #expect(answer == .noContent)
      try await shopper.store.settle()
      let booked = try await shopper.store.ledger(first.id)
      #expect(booked.map { String($0.kind.prefix { $0 != ":" }) }.sorted() == ["surplus", "surplus_refund"])
    }
  }
}
