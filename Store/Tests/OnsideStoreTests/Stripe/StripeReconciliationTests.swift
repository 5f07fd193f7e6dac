import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Stripe: the store's books and Stripe's", .timeLimit(.minutes(5)))
struct StripeReconciliationTests {
  /// The differences of the last day, half an hour later.
  private static func differences(_ shop: StripeStore) async throws -> [String] {
    shop.store.advance(by: .seconds(1800))
    return try await shop.store.core.paymentReconciler.differences(since: shop.clock.now() - 86_400)
      .map(\.description)
  }

  private static func paid(_ shop: StripeStore) async throws -> OrderMessage {
    let order = try await shop.order()
    try await shop.pay(order, with: .saved(try await shop.save().id))
    return order
  }

  @Test("books that agree have no difference, with payments, declines, and refunds in part")
  func agreement() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let declined = try await shop.order()
      try await shop.pay(declined, with: .saved(try await shop.save("4000000000000341").id))
      try await shop.store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(40), because: .refund)
      try await shop.later(1)
      try await shop.tell()
      let differences = try await Self.differences(shop)
      #expect(differences == [])
    }
  }

  @Test("a plan whose price went back for a change, and that is refunded then, is no difference: nothing is left of it")
  func changedPlan() async throws {
    try await StripeStore.run { shop in
      let core = shop.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      let card = PaymentChoice.saved(try await shop.save().id, keep: true)
      let (basic, pro) = (try await shop.order("basic"), try await shop.order("pro"))
      for order in [basic, pro] {
        let outcome = try await shop.pay(order, with: card)
        #expect(outcome == .paid)
      }
      try await shop.later(1)
      try await shop.tell()
      try await core.refunds.refund(basic.id.uuid, because: .refund)
      let minorUnits = try await core.refunds.refunds(of: basic.id.uuid).map(\.amount.minorUnits).sorted()
      #expect(minorUnits == [0, 999])
      let differences = try await Self.differences(shop)
      #expect(differences == [])
    }
  }

  /// An order whose payment was refunded by hand before the store heard of it; returns the refund's id.
  private static func refundEarly(_ shop: StripeStore) async throws -> (order: OrderMessage, refund: String) {
    let order = try await shop.order()
    try await shop.pay(order, with: .offered("card", save: false))
    try await shop.enter()
    shop.stripe.loseDeliveries()
    return (order, try shop.stripe.refundByHand(try #require(shop.stripe.payments.first).id, amount: 99))
  }

  @Test("a refund that is told before its payment is no difference: the money came and went")
  func earlyRefund() async throws {
    try await StripeStore.run { shop in
      let (order, refund) = try await Self.refundEarly(shop)
      try await shop.tell()
      let known = try await shop.store.core.refunds.refunds(of: order.id.uuid)
      #expect(known.map(\.id) == ["stripe:\(refund)"] && known.map(\.state) == [.settled])
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] == 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      let differences = try await Self.differences(shop)
      #expect(differences == [])
    }
  }

  @Test("a refund that was told before its payment and fails later is owed to the buyer, and goes back once more")
  func earlyRefundFails() async throws {
    try await StripeStore.run { shop in
      let (order, refund) = try await Self.refundEarly(shop)
      try await shop.tell()
      try shop.stripe.failRefund(refund)
      for _ in 0..<2 { try await shop.tell() }
      let refunds = shop.store.core.refunds
      let states = try await refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.failed])
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] != 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      let differences = try await Self.differences(shop)
      #expect(differences == [])
      try await refunds.repeatRefund(try #require(try await refunds.owed().first?.refund.id))
      try await shop.later(1)
      try await shop.tell()
      #expect(shop.stripe.payments.map(\.refunded) == [99])
      let secondBalances = try await shop.store.balances()
      #expect(secondBalances[Ledger.refundsDue, default: 0] == 0)
      let secondBookFaults = try await shop.store.bookFaults()
      #expect(secondBookFaults == [])
    }
  }

  @Test("a refund of which the payment's state alone had told is booked when it is told, and owed when it fails")
  func earlyRefundByState() async throws {
    try await StripeStore.run { shop in
      let (order, refund) = try await Self.refundEarly(shop)
      try await shop.store.core.payments.refresh(try #require(order.paymentURL?.lastPathComponent))
      let refunds = shop.store.core.refunds
      let actualRefunds = try await refunds.refunds(of: order.id.uuid)
      #expect(actualRefunds.isEmpty)
      for _ in 0..<2 { try await shop.tell() }
      let states = try await refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(states == [.settled])
      try shop.stripe.failRefund(refund)
      for _ in 0..<2 { try await shop.tell() }
      let secondStates = try await refunds.refunds(of: order.id.uuid).map(\.state)
      #expect(secondStates == [.failed])
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] != 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a refund of which the payment's state alone had told, and that has failed, is named")
  func unrecordedFailure() async throws {
    try await StripeStore.run { shop in
      let (order, refund) = try await Self.refundEarly(shop)
      try await shop.store.core.payments.refresh(try #require(order.paymentURL?.lastPathComponent))
      let payment = try #require(try await shop.store.payments(of: order.id).first)
      let known = try await shop.store.core.dependencies.database.read {
        try shop.store.core.payments.payments.payment(payment, in: $0)
      }
      #expect(known?.state == .refunded)
      let refunds = try await shop.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.isEmpty)
      let differences = try await Self.differences(shop)
      #expect(differences == [])
      try shop.stripe.failRefund(refund)
      let found = try await Self.differences(shop)
      #expect(found.count == 1 && found[0].hasPrefix("\(refund): stripe has it as failed"), "\(found)")
    }
  }

  @Test("a fee that Stripe does not tell at the first question is asked for once more")
  func fee() async throws {
    try await StripeStore.run { shop in
      _ = try await Self.paid(shop)
      shop.stripe.next(.cutBefore, on: "GET balance_transactions")
      try await shop.tell()
      let balances = try await shop.store.balances()["provider:stripe"]
      #expect(balances == 99)
      try await shop.later(1)
      let secondBalances = try await shop.store.balances()["provider:stripe"]
      #expect(secondBalances == shop.stripe.balance["eur"])
    }
  }

  @Test("a payment that the store has not heard of is named, until it has")
  func lostEvent() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      let id = try #require(shop.stripe.payments.first?.id)
      let found = try await Self.differences(shop)
      #expect(found.count == 1 && found[0].hasPrefix("\(id): stripe has 0.99 EUR paid, the store has payment"))
      try await shop.tell()
      let differences = try await Self.differences(shop)
      #expect(differences == [])
    }
  }

  @Test("what the store has as paid, and Stripe has not, is named")
  func missingMoney() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.store.core.dependencies.database.write {
        try $0.execute("UPDATE payments SET state = 'succeeded'")
      }
      let found = try await Self.differences(shop)
      #expect(found.count == 1 && found[0].contains("as paid, stripe does not"))
    }
  }

  @Test("what Stripe has paid out is in the bank account of the books, and owed again when the bank sends it back")
  func payouts() async throws {
    try await StripeStore.run { shop in
      _ = try await Self.paid(shop)
      try await shop.tell()
      let held = try #require(shop.stripe.balance["eur"])
      let payout = try #require(shop.stripe.payOut().first)
      let unknown = try await Self.differences(shop)
      let amount = try TestShop.money(held).amount
      #expect(unknown == ["\(payout): stripe has paid out \(amount) EUR, the store does not know it"])
      try await shop.tell()
      try await shop.tell()
      let differences = try await Self.differences(shop)
      #expect(differences == [])
      let balances = try await shop.store.balances()
      #expect(balances["provider:stripe", default: 0] == 0)
      let secondBalances = try await shop.store.balances()[Ledger.bank]
      #expect(secondBalances == held)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      try shop.stripe.failPayout(payout)
      let failed = try await Self.differences(shop)
      #expect(failed.count == 1 && failed[0].hasPrefix("\(payout): the payout of"))
      try await shop.tell()
      let secondDifferences = try await Self.differences(shop)
      #expect(secondDifferences == [])
      let thirdBalances = try await shop.store.balances()[Ledger.bank]
      #expect(thirdBalances == 0)
      let fourthBalances = try await shop.store.balances()["provider:stripe"]
      #expect(fourthBalances == held)
      let secondBookFaults = try await shop.store.bookFaults()
      #expect(secondBookFaults == [])
    }
  }

  @Test("refunds that only one of both has, and another amount, are named; so is a dispute")
  func moneyBack() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let id = try #require(shop.stripe.payments.first?.id)
      let byHand = try shop.stripe.refundByHand(id, amount: 10)
      try await shop.store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(20), because: .refund)
      let early = try await Self.differences(shop)
      #expect(early.contains { $0.hasPrefix("\(byHand): stripe has refunded 0.10 EUR, the store does not know it") })
      #expect(early.contains { $0.contains("of 0.20 EUR as asked, stripe does not have it") } && early.count == 2)
      try await shop.later(1)
      try await shop.tell()
      try shop.stripe.failRefund(byHand)
      let failed = try await Self.differences(shop)
      #expect(failed.count == 1 && failed[0].hasPrefix("\(byHand): stripe has it as failed (lost_or_stolen_card)"))
      try await shop.tell()
      let differences = try await Self.differences(shop)
      #expect(differences == [])
      let dispute = try shop.stripe.dispute(id)
      let secondDifferences = try await Self.differences(shop)
      #expect(
        secondDifferences == [
          "\(dispute): stripe has a dispute of 0.79 EUR about \(id), which is needs_response; the store does not know it"
        ])
      try await shop.tell()
      let thirdDifferences = try await Self.differences(shop)
      #expect(thirdDifferences == [])
    }
  }

  @Test("a refund and a dispute of a charge of long ago are named")
  func oldCharges() async throws {
    try await StripeStore.run { shop in
      _ = try await Self.paid(shop)
      let id = try #require(shop.stripe.payments.first?.id)
      shop.store.advance(by: .seconds(60 * 86_400))
      let byHand = try shop.stripe.refundByHand(id, amount: 10)
      let dispute = try shop.stripe.dispute(id)
      shop.stripe.loseDeliveries()
      let found = try await Self.differences(shop)
      #expect(found.count == 2 && found.contains { $0.hasPrefix("\(byHand):") })
      #expect(found.contains { $0.hasPrefix("\(dispute):") })
    }
  }
}
