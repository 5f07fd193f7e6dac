import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Refunds", .timeLimit(.minutes(5)))
struct RefundTests {
  @Test("STO-3: a part goes back without the purchase, several up to the price, and the last one takes it away")
  func parts() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let first = try #require(try await store.core.refunds.refund(order.id, 199))
      #expect(first.state == .asked && first.origin == .operator && first.reason == .support)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
      let booked = try await store.ledger(order.id).first { $0.kind == "commission_refund:\(first.id)" }
      #expect(booked?.amount.minorUnits == 19)
      try await store.core.deliverOutbox()
      let states = try await store.refunds(order.id).map(\.state)
      #expect(states == [.settled])
      let minorUnits = try await store.core.refunds.refund(order.id, 800)?.amount.minorUnits
      #expect(minorUnits == 800)
      let tooMuch = RefundError.amount(asked: try TestShop.money(1001), left: try TestShop.money(1000))
      await #expect(throws: tooMuch) { try await store.core.refunds.refund(order.id, 1001) }
      await #expect(throws: RefundError.self) { try await store.core.refunds.refund(order.id, 0) }
      let secondRevokedAt = try await shopper.order(order.id).revokedAt
      #expect(secondRevokedAt == nil)
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
      let secondMinorUnits = try await store.core.refunds.refund(order.id.uuid, because: .support)?.amount.minorUnits
      #expect(secondMinorUnits == 1000)
      let revocationReason = try await shopper.order(order.id).revocationReason
      #expect(revocationReason == .support)
      let outcome = try await store.core.refunds.refund(order.id.uuid, because: .support)
      #expect(outcome == nil)
      try await store.core.deliverOutbox()
      let secondStates = try await store.refunds(order.id).map(\.state)
      #expect(secondStates == [.settled, .settled, .settled])
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      let paymentStates = try await store.paymentStates()
      #expect(paymentStates == ["refunded"])
      let secondBookFaults = try await store.bookFaults()
      #expect(secondBookFaults == [])
    }
  }

  @Test("A part takes the purchase away where the app's rule says so")
  func rule() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      var app = TestShop.app
      app.rules.refund = .any
      try await store.core.apps.register(app)
      #expect(store.core.apps.app(app.id)?.rules.refund == .any)
      let order = try await shopper.buy("season")
      try await store.core.refunds.refund(order.id, 1)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt != nil)
      try await store.core.refunds.refund(order.id.uuid, because: .support)
      try await store.core.deliverOutbox()
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("STO-3: what was refunded before refunds were on record is not refunded a second time")
  func beforeRecords() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      try await store.core.dependencies.database.write { connection in
        let id = SQLValue.text(order.id.description)
        try connection.execute("UPDATE orders SET revoked_at = 1, revocation_reason = 'REFUND' WHERE id = $1", [id])
        try connection.execute(
          """
          INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
          SELECT order_id, CASE kind WHEN 'sale' THEN 'refund' ELSE kind || '_refund' END, credit, debit, amount,
            currency, 1 FROM ledger WHERE order_id = $1
          """, [id])
      }
      let outcome = try await store.core.refunds.refund(order.id.uuid, because: .support)
      #expect(outcome == nil)
      await #expect(throws: RefundError.self) { try await store.core.refunds.refund(order.id, 1) }
      let payment = try #require(try await store.payments(of: order.id).first)
      let event = try await store.event("refunded", payment: payment, order: order.id, with: shopper.client)
      #expect(event == .noContent)
      let paymentStates = try await store.paymentStates()
      #expect(paymentStates == ["refunded"])
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults.allSatisfy { $0.rule == .provider })
    }
  }

  @Test("STO-3, SUB-20: a refund that fails, also after it had settled, grants the purchase once, and may be repeated")
  func fails() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      try await store.core.refunds.refund(order.id.uuid, because: .refund)
      try await store.core.deliverOutbox()
      let paymentStates = try await store.paymentStates()
      #expect(paymentStates == ["refunded"])
      let first = try #require(try await store.refunds(order.id).first?.id)
      for id in ["f1", "f1", "f2"] {
        let answer = try await store.event(
          "refund_failed", payment: payment, order: order.id, id: id, further: #","refund_id":"\#(first)""#,
          with: shopper.client)
        #expect(answer == .noContent)
      }
      let failed = try await store.refunds(order.id)
      #expect(failed.map(\.state) == [.failed] && failed.first?.failure == "refused")
      let secondPaymentStates = try await store.paymentStates()
      #expect(secondPaymentStates == ["succeeded"])
      let balances = try await store.balances()["app:\(TestShop.app.id)"]
      #expect(balances == -1800)
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults == [])
      let revocationReason = try await shopper.order(order.id).revocationReason
      #expect(revocationReason == .refund)
      let grants = try await shopper.grants(of: order.id)
      #expect(grants.map(\.price.minorUnits) == [0] && grants.first?.state.isEntitled == true)
      let owed = try await store.core.refunds.owed()
      #expect(owed.map(\.refund.id) == failed.map(\.id) && owed.map(\.amount.minorUnits) == [1999])
      let state = try await store.core.refunds.refund(order.id.uuid, because: .support)?.state
      #expect(state == .asked)
      let rest = try await store.core.refunds.owed()
      #expect(rest == [])
      let reasons = try await shopper.grants(of: order.id).map(\.state.revocation?.reason)
      #expect(reasons == [.support])
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      try await store.core.deliverOutbox()
      let states = try await store.refunds(order.id).map(\.state)
      #expect(states == [.failed, .settled])
      let secondBookFaults = try await store.bookFaults()
      #expect(secondBookFaults == [])
    }
  }

  @Test("PAY-4: a repeated refund revokes the grant, and is owed when it fails, too; a closed one is not owed")
  func repeatedOnce() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let refunds = store.core.refunds
      let payment = try #require(try await store.payments(of: order.id).first)
      func fail(_ refund: String) async throws {
        let answer = try await store.event(
          "refund_failed", payment: payment, order: order.id, id: "failure of \(refund)",
          further: #","refund_id":"\#(refund)""#, with: shopper.client)
        #expect(answer == .noContent)
      }
      let first = try #require(try await refunds.refund(order.id.uuid, because: .support)).id
      await #expect(throws: RefundError.notOwed(first)) { try await refunds.repeatRefund(first) }
      try await fail(first)
      let second = try await refunds.repeatRefund(first)
      #expect(second.amount.minorUnits == 1999 && second.origin == .operator && second.reason == .support)
      let reasons = try await shopper.grants(of: order.id).map(\.state.revocation?.reason)
      #expect(reasons == [.support])
      let balances = try await store.balances().values
      #expect(balances.allSatisfy { $0 == 0 })
      try await fail(second.id)
      let owed = try await refunds.owed().map(\.refund.id)
      #expect(owed == [second.id])
      try await refunds.closeRefund(second.id)
      let rest = try await refunds.owed()
      #expect(rest == [])
      await #expect(throws: RefundError.notOwed(second.id)) { try await refunds.repeatRefund(second.id) }
      await #expect(throws: RefundError.notOwed(second.id)) { try await refunds.closeRefund(second.id) }
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults.allSatisfy { $0.rule == .provider })
    }
  }

  @Test("PAY-4: the owed total of a payment is at most its unrefunded part")
  func sums() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      for (number, amount) in [(1, 1999), (2, 600)] as [(Int, Int64)] {
        let refund = try #require(try await store.core.refunds.refund(order.id, amount)).id
        let status = try await store.event(
          "refund_failed", payment: payment, order: order.id, amount: amount, id: "f\(number)",
          further: #","refund_id":"\#(refund)","payment_amount":1999"#, with: shopper.client)
        #expect(status == .noContent)
      }
      let owed = try await store.core.refunds.owed()
      #expect(owed.map(\.amount.minorUnits) == [1999])
      #expect(owed.sums.map(\.minorUnits) == [1999])
    }
  }

  @Test("PAY-4: a lost dispute reduces the owed amount", arguments: [1999, 500])
  func lostDispute(taken: Int64) async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      try await store.core.refunds.refund(order.id.uuid, because: .refund)
      func tell(_ event: String, _ amount: Int64) async throws {
        let status = try await store.event(
          event, payment: payment, order: order.id, amount: amount, further: #","payment_amount":1999"#,
          with: shopper.client)
        #expect(status == .noContent, "\(event)")
      }
      try await tell("refund_failed", 1999)
      for event in ["dispute_opened", "funds_withdrawn", "dispute_lost"] { try await tell(event, taken) }
      let owed = try await store.core.refunds.owed().map(\.amount.minorUnits)
      #expect(owed == [1999 - taken].filter { $0 > 0 })
    }
  }

  @Test(
    "SUB-20: a refund that fails while a bank decides grants nothing before the dispute is won",
    arguments: [("season", false), ("season", true), ("coins", false), ("coins", true)])
  func failsInDispute(product: String, isHeld: Bool) async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy(product), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      func tell(_ events: [String]) async throws {
        for event in events {
          let actualEvent = try await store.event(event, payment: payment, order: order.id, with: shopper.client)
          #expect(actualEvent == .noContent)
        }
      }
      try await store.core.refunds.refund(order.id.uuid, because: .refund)
      try await tell(["dispute_opened"] + (isHeld ? ["funds_withdrawn"] : []) + ["refund_failed"])
      let early = try await shopper.grants(of: order.id)
      #expect(early.isEmpty)
      try await tell(["dispute_won"] + (isHeld ? ["funds_reinstated"] : []))
      let isEntitled = try await shopper.grants(of: order.id).map(\.state.isEntitled)
      #expect(isEntitled == [true])
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt != nil)
    }
  }

  @Test(
    "SUB-20: after a failed refund, a dispute lost for a part of the price grants the purchase, in any order of the events",
    arguments: [["funds_withdrawn", "dispute_lost"], ["dispute_lost", "funds_withdrawn"]])
  func failsInLostDispute(events: [String]) async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      try await store.core.refunds.refund(order.id.uuid, because: .refund)
      func tell(_ event: String, _ amount: Int64, _ fields: String = "") async throws {
        let status = try await store.event(
          event, payment: payment, order: order.id, amount: amount, further: fields, with: shopper.client)
        #expect(status == .noContent, "\(event)")
      }
      let part = #","payment_amount":1999"#
      try await tell("dispute_opened", 200, part)
      try await tell("refund_failed", 1999)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt != nil)
      for event in events { try await tell(event, 200, part) }
      let isEntitled = try await shopper.grants(of: order.id).map(\.state.isEntitled)
      #expect(isEntitled == [true])
    }
  }

  @Test("STO-3: refunds that were made at the provider are taken over once; more than the price is refused")
  func providers() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      func refund(_ id: String, _ amount: Int64) async throws -> HTTPResponse.Status {
        try await store.event(
          "refunded", payment: payment, order: order.id, amount: amount, id: id,
          further: #","refund_id":"\#(id)","payment_amount":1999"#, with: shopper.client)
      }
      // The store has no refund of this id: it was made at the provider.
      for id in ["r1", "r1"] {
        let outcome = try await refund(id, 500)
        #expect(outcome == .noContent)
      }
      let taken = try await store.refunds(order.id)
      #expect(taken.map(\.origin) == [.provider] && taken.map(\.amount.minorUnits) == [500])
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
      let outcome = try await refund("r2", 1500)
      #expect(outcome == .badRequest)
      let secondOutcome = try await refund("r3", 1499)
      #expect(secondOutcome == .noContent)
      let secondRevokedAt = try await shopper.order(order.id).revokedAt
      #expect(secondRevokedAt != nil)
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      // The sandbox's own books know nothing of what the test has told in its name.
      let bookFaults = try await store.bookFaults()
      #expect(bookFaults.allSatisfy { $0.rule == .provider })
    }
  }

  @Test("A refund of a part that is told before its payment is not taken in: the provider tells it again")
  func early() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.order("season"), shopper.store)
      let outcome = try await shopper.pay(order, with: .neverSettles)
      #expect(outcome == .pending)
      let payment = try #require(try await store.payments(of: order.id).first)
      func refund() async throws -> HTTPResponse.Status {
        try await store.event(
          "refunded", payment: payment, order: order.id, amount: 500, id: "r1",
          further: #","refund_id":"r1","payment_amount":1999"#, with: shopper.client)
      }
      let secondOutcome = try await refund()
      #expect(secondOutcome == .badRequest)
      let event = try await store.event("succeeded", payment: payment, order: order.id, with: shopper.client)
      #expect(event == .noContent)
      let thirdOutcome = try await refund()
      #expect(thirdOutcome == .noContent)
      let states = try await store.refunds(order.id).map(\.state)
      #expect(states == [.settled])
    }
  }

  @Test("QUE-8: a refund that the provider could not be asked for is asked for again, and goes back once")
  func repeated() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let browser = Browser(client)
      bank.bank.decide(try await bank.goToBank(browser, order: order.path), approves: true)
      try await browser.get(order.path + "/return")
      try await bank.store.core.refunds.refund(order.id, 40)
      bank.bank.fail(2)
      for _ in 0..<3 {
        try await bank.store.core.deliverOutbox()
        bank.store.advance(by: .seconds(60))
      }
      #expect(bank.bank.refunds == [40])
      let refund = try #require(try await bank.store.refunds(order.id).first)
      #expect(refund.state == .settled && refund.reference == "rf-\(refund.id)")
      let bookFaults = try await bank.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test(
    "STO-3: the store's part of a refund is rounded down, never overflows, and is all of it with the whole price",
    arguments: [
      (1, 3, 1, 0), (2, 3, 1, 0), (3, 3, 1, 1), (199, 1999, 199, 19), (Int64.max, Int64.max, Int64.max, .max),
    ])
  func share(part: Int64, price: Int64, share: Int64, expected: Int64) {
    #expect(Ledger.part(part, of: price, from: share) == expected)
    #expect(Ledger.part(price, of: price, from: share) == share)
    #expect(Ledger.part(0, of: price, from: share) == 0)
  }

  @Test("STO-3: after any run of refunds of parts, some of which fail, the books agree", arguments: 1...3)
  func anyRun(seed: UInt64) async throws {
    let choices = SeededRandomSource(seed: seed)
    try await TestStore(seed: seed) { $0.commissionBasisPoints = 1234 }.shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      for step in 0..<40 {
        let bytes = choices.bytes(2)
        _ = try? await store.core.refunds.refund(order.id, Int64(bytes[0]) + 1)
        if bytes[1].isMultiple(of: 2) { try await store.core.deliverOutbox() }
        if bytes[1].isMultiple(of: 3), let refund = try await store.refunds(order.id).randomElement(by: bytes[0]) {
          _ = try await store.event(
            "refund_failed", payment: payment, order: order.id, amount: refund.amount.minorUnits, id: "f-\(step)",
            further: #","refund_id":"\#(refund.id)","payment_amount":1999"#, with: shopper.client)
        }
        let bookFaults = try await store.bookFaults()
        #expect(bookFaults == [], "seed \(seed), step \(step)")
      }
      try await store.core.deliverOutbox()
      let refunds = try await store.refunds(order.id)
      #expect(refunds.allSatisfy { $0.state != .asked })
    }
  }
}

extension RefundService {
  @discardableResult
  fileprivate func refund(_ order: OrderID, _ amount: Int64) async throws -> Refund? {
    try await refund(order.uuid, amount: try TestShop.money(amount), because: .support)
  }
}

extension [Refund] {
  fileprivate func randomElement(by byte: UInt8) -> Refund? { isEmpty ? nil : self[Int(byte) % count] }
}

extension TestStore {
  fileprivate func refunds(_ order: OrderID) async throws -> [Refund] { try await core.refunds.refunds(of: order.uuid) }

  fileprivate func paymentStates() async throws -> [String] {
    try await core.dependencies.database.read { connection in
      try connection.rows("SELECT state FROM payments ORDER BY created_at").map { try $0.text("state") }
    }
  }
}
