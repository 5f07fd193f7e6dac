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

@Suite("Payments", .timeLimit(.minutes(5)))
struct PaymentTests {
  @Test("A card that succeeds pays the order, with a receipt")
  func succeeds() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      #expect(order.state == .paid)
      #expect(order.paidAt == shopper.store.clock.now())
      #expect(order.receipt != nil)
      let outcome = try await shopper.pay(try await shopper.order("coins"), with: .callbackTwice)
      #expect(outcome == .paid)
    }
  }

  @Test("QUE-15: a declined card is not saved and leaves the order open, and another card pays it")
  func declined() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      let token = try #require(order.paymentURL?.lastPathComponent)
      let outcome = try await shopper.store.core.payments.pay(
        token, with: .offered(SandboxCard.declined.rawValue, save: true, keep: true), shownPrice: order.price.money)
      #expect(outcome == .declined)
      let saved = try await shopper.store.core.payments.methods(of: shopper.accountID)
      #expect(saved.isEmpty)
      let state = try await shopper.order(order.id).state
      #expect(state == .open)
      let ledger = try await shopper.store.ledger(order.id)
      #expect(ledger.isEmpty)
      let secondOutcome = try await shopper.pay(order, with: .succeeds)
      #expect(secondOutcome == .paid)
    }
  }

  @Test("A second step charges only when it is done, and may be given up")
  func secondStep() async throws {
    try await TestStore().shop { shopper in
      let payments = shopper.store.core.payments
      let order = try await shopper.order("coins")
      let token = try #require(order.paymentURL?.lastPathComponent)
      let outcome = try await shopper.pay(order, with: .secondStep)
      #expect(outcome == .secondStep)
      let awaitsSecondStep = try await payments.page(token)?.awaitsSecondStep
      #expect(awaitsSecondStep == true)
      let ledger = try await shopper.store.ledger(order.id)
      #expect(ledger.isEmpty)
      let secondOutcome = try await payments.confirmSecondStep(token)
      #expect(secondOutcome == .paid)
      let thirdOutcome = try await payments.confirmSecondStep(token)
      #expect(thirdOutcome == .paid)
      let other = try await shopper.order("coins")
      let otherToken = try #require(other.paymentURL?.lastPathComponent)
      let fourthOutcome = try await shopper.pay(other, with: .secondStep)
      #expect(fourthOutcome == .secondStep)
      try await payments.cancel(otherToken)
      let fifthOutcome = try await payments.confirmSecondStep(otherToken)
      #expect(fifthOutcome == .closed)
      let state = try await shopper.order(other.id).state
      #expect(state == .cancelled)
    }
  }

  @Test("A payment that settles later is processing until then, cannot be given up, and survives a restart")
  func settlesLater() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      let outcome = try await shopper.pay(order, with: .settlesLater)
      #expect(outcome == .pending)
      let state = try await shopper.post("/v1/orders/\(order.id)/cancel").message(OrderMessage.self).state
      #expect(state == .processing)
      let restarted = try await TestStore(in: shopper.store.folder, clock: shopper.store.clock)
      try await restarted.core.deliverOutbox()
      let secondState = try await shopper.order(order.id).state
      #expect(secondState == .processing)
      shopper.store.advance(by: .seconds(10))
      try await restarted.core.deliverOutbox()
      let thirdState = try await shopper.order(order.id).state
      #expect(thirdState == .paid)
    }
  }

  @Test("A provider that tells late or never leaves the order processing")
  func late() async throws {
    try await TestStore().shop { shopper in
      let never = try await shopper.order("coins")
      let late = try await shopper.order("coins")
      let outcome = try await shopper.pay(never, with: .neverSettles)
      #expect(outcome == .pending)
      let secondOutcome = try await shopper.pay(late, with: .lateCallback)
      #expect(secondOutcome == .pending)
      shopper.store.advance(by: .seconds(3600))
      try await shopper.store.core.deliverOutbox()
      try await shopper.store.core.orders.expireOpenOrders()
      let state = try await shopper.order(never.id).state
      #expect(state == .processing)
      let secondState = try await shopper.order(late.id).state
      #expect(secondState == .paid)
    }
  }

  @Test("QUE-19: a provider's refund revokes the purchase and signs the receipt anew")
  func refundedLater() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("remove_ads")
      let outcome = try await shopper.pay(order, with: .refundedLater)
      #expect(outcome == .paid)
      let before = try await shopper.order(order.id)
      shopper.store.advance(by: .seconds(10))
      try await shopper.store.core.deliverOutbox()
      let after = try await shopper.order(order.id)
      #expect(after.state == .paid)
      #expect(after.revocationReason == .refund)
      #expect(after.revokedAt == shopper.store.clock.now())
      #expect(after.receipt != before.receipt)
      let receipt = try TransactionHistory.decoded(fromPayloadOf: try #require(after.receipt))
      #expect(receipt.transactions.first?.revocation?.reason == .refund)
    }
  }

  @Test("GAT-4: the price charged is the price shown; a changed one is shown first, and nothing is charged meanwhile")
  func priceChanges() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      try await shopper.store.raisePrice(of: "coins", to: 199)
      let raised = try TestShop.money(199)
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .priceChanged(raised))
      let page = try await shopper.store.core.payments.page(try #require(order.paymentURL?.lastPathComponent))
      #expect(page?.price == raised)
      let ledger = try await shopper.store.ledger(order.id)
      #expect(ledger.isEmpty)
      var shown = order
      shown.price = PriceMessage(raised, formatted: "")
      let secondOutcome = try await shopper.pay(shown, with: .succeeds)
      #expect(secondOutcome == .paid)
      let amount = try await shopper.order(order.id).price.amount
      #expect(amount == 199)
      let entries = try await shopper.store.ledger(order.id)
      #expect(entries.first { $0.kind == "sale" }?.amount == raised)
    }
  }

  @Test(
    "GAT-4: an order at a changed price tells of the product as it was sold then; its repeated request does not",
    arguments: ["EUR", "JPY"])
  func repricedProduct(currency: String) async throws {
    try await TestStore().shop { shopper in
      let made = try await shopper.order("coins")
      try await shopper.store.raisePrice(of: "coins", to: 299, currency)
      let price = try TestShop.money(299, currency)
      let outcome = try await shopper.pay(made, with: .succeeds)
      #expect(outcome == .priceChanged(price))
      var shown = made
      shown.price = PriceMessage(price, formatted: "")
      let secondOutcome = try await shopper.pay(shown, with: .succeeds)
      #expect(secondOutcome == .paid)
      let bought = try await shopper.order(made.id)
      #expect(bought.price.money == price && bought.product.price.money == price)
      #expect(bought.price.formatted == bought.product.price.formatted)
      let order = try await shopper.order("coins", key: made.id.uuid)
      #expect(order == made)
      let amount = try await shopper.store.ledger(made.id).first { $0.kind == "sale" }?.amount
      #expect(amount == price)
    }
  }

  @Test("GAT-4: a page that shows another price than the order's charges nothing")
  func forgedPrice() async throws {
    try await TestStore().shop { shopper in
      var order = try await shopper.order("remove_ads")
      let price = order.price.money
      for forged in [try TestShop.money(1), try TestShop.money(499, "JPY")] {
        order.price = PriceMessage(forged, formatted: "")
        let outcome = try await shopper.pay(order, with: .succeeds)
        #expect(outcome == .priceChanged(price))
      }
      let state = try await shopper.order(order.id).state
      #expect(state == .open)
    }
  }

  @Test("GAT-4: a changed region gives the order up before anything is charged")
  func regionChanges() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("remove_ads")
      try await shopper.store.move(shopper.accountID, to: "DE")
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .storefrontChanged)
      let cancelled = try await shopper.order(order.id)
      #expect(cancelled.state == .cancelled)
      #expect(cancelled.cancelReason == .storefrontChanged)
      let ledger = try await shopper.store.ledger(order.id)
      #expect(ledger.isEmpty)
    }
  }

  @Test("A product taken from sale cannot be paid any more")
  func productRemoved() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      try await shopper.store.core.catalogue.replace(try Catalogue(products: []), of: TestShop.app.id)
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .closed)
      let state = try await shopper.order(order.id).state
      #expect(state == .cancelled)
    }
  }

  @Test("A payment that succeeds after the order was given up is given back at once")
  func paidAfterCancel() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      try await shopper.post("/v1/orders/\(order.id)/cancel")
      let store = shopper.store
      let event = try await store.event("succeeded", payment: "p-1", order: order.id, with: shopper.client)
      #expect(event == .noContent)
      let kinds = try await store.ledger(order.id).map(\.kind)
      #expect(kinds == ["surplus:p-1"])
      try await store.core.deliverOutbox()
      let settledKinds = try await Set(store.ledger(order.id).map(\.kind))
      #expect(settledKinds == ["surplus:p-1", "surplus_refund:p-1"])
      let state = try await shopper.order(order.id).state
      #expect(state == .cancelled)
    }
  }

  @Test("A second payment of a paid order is given back, and the purchase stays")
  func paidTwice() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("coins")
      let store = shopper.store
      for id in ["e-1", "e-2"] {
        let event = try await store.event("succeeded", payment: "p-2", order: order.id, id: id, with: shopper.client)
        #expect(event == .noContent)
      }
      try await store.core.deliverOutbox()
      let kinds = try await store.ledger(order.id).map(\.kind)
      #expect(Set(kinds) == ["sale", "commission", "surplus:p-2", "surplus_refund:p-2"])
      let actualOrder = try await shopper.order(order.id)
      #expect(actualOrder == order)
    }
  }

  @Test(
    "Events in any order and number come to the same end: what was refunded is refunded",
    arguments: [
      ["succeeded", "refunded"], ["refunded", "succeeded"], ["succeeded", "succeeded", "refunded", "refunded"],
      ["pending", "refunded", "succeeded", "declined"], ["succeeded", "declined", "refunded", "pending"],
    ])
  func shuffled(types: [String]) async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("remove_ads")
      for (index, type) in types.enumerated() {
        let status = try await shopper.store.event(
          type, payment: "p-1", order: order.id, id: "e-\(index)", with: shopper.client)
        #expect(status == .noContent)
      }
      let end = try await shopper.order(order.id)
      #expect(end.state == .open || end.revokedAt != nil)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let values = try await shopper.store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
    }
  }

  @Test("An event counts once, is refused without the provider's signature, and needs an order")
  func events() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      let store = shopper.store
      let zeros = String(repeating: "0", count: 64)
      for forged in ["", "x", zeros] {
        let status = try await store.event(
          "succeeded", payment: "p", order: order.id, signature: forged, with: shopper.client)
        #expect(status == .unauthorized)
      }
      let state = try await shopper.order(order.id).state
      #expect(state == .open)
      for _ in 0..<3 {
        let event = try await store.event("succeeded", payment: "p", order: order.id, with: shopper.client)
        #expect(event == .noContent)
      }
      let ledgerCount = try await store.ledger(order.id).count
      #expect(ledgerCount == 2)
      let other = try await shopper.order("coins")
      let secondEvent = try await store.event("declined", payment: "p", order: other.id, id: "x", with: shopper.client)
      #expect(secondEvent == .notFound)
      let unknown = OrderID(store.freshID())
      let thirdEvent = try await store.event("succeeded", payment: "q", order: unknown, with: shopper.client)
      #expect(thirdEvent == .notFound)
    }
  }

  @Test("QUE-8: a payment handed over before a crash is handed over again, and charged once")
  func crashBeforeDelivery() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      let payment = Payment(
        id: "p-1", orderID: order.id.uuid, provider: "sandbox", method: SandboxCard.succeeds.rawValue,
        amount: order.price.money, state: .started)
      let payload = try OutboxPayload.text(
        ChargeRequest(payment, account: shopper.accountID, environment: .sandbox))
      let (core, now) = (shopper.store.core, shopper.store.clock.now())
      try await core.dependencies.database.write(at: now) { transaction in
        for _ in 0..<2 { try OutboxRecords().add(PaymentOutboxKind.start, payload: payload, due: now, in: transaction) }
      }
      try await core.deliverOutbox()
      let state = try await shopper.order(order.id).state
      #expect(state == .paid)
      let ledgerCount = try await shopper.store.ledger(order.id).count
      #expect(ledgerCount == 2)
    }
  }

  @Test("A saved method pays again; another account's does not; a removed one is gone")
  func savedMethods() async throws {
    try await TestStore().shop { shopper in
      let payments = shopper.store.core.payments
      let order = try await shopper.order("coins")
      let token = try #require(order.paymentURL?.lastPathComponent)
      let price = order.price.money
      let outcome = try await payments.pay(token, with: .offered("succeeds", save: true), shownPrice: price)
      #expect(outcome == .paid)
      let method = try #require(try await payments.methods(of: shopper.accountID).first)
      #expect(method.details.lastFour == "4242")
      let next = try #require(try await shopper.order("coins").paymentURL?.lastPathComponent)
      let stranger = try await shopper.store.account()
      try await shopper.store.save(.succeeds, of: stranger)
      let foreign = try #require(try await payments.methods(of: stranger).first)
      let secondOutcome = try await payments.pay(next, with: .saved(foreign.id), shownPrice: price)
      #expect(secondOutcome == .unknownMethod)
      let thirdOutcome = try await payments.remove(foreign.id, of: shopper.accountID)
      #expect(thirdOutcome == false)
      let fourthOutcome = try await payments.pay(next, with: .saved(method.id), shownPrice: price)
      #expect(fourthOutcome == .paid)
      #expect(try await payments.remove(method.id, of: shopper.accountID))
      let methods = try await payments.methods(of: shopper.accountID)
      #expect(methods.isEmpty)
    }
  }

  @Test("SEC-3: a payment page's name cannot be guessed from another one")
  func tokens() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      let token = try #require(order.paymentURL?.lastPathComponent)
      let payments = shopper.store.core.payments
      let orderID = try await payments.page(token)?.orderID
      #expect(orderID == order.id.description)
      for index in token.indices {
        var changed = token
        changed.replaceSubrange(index...index, with: changed[index] == "A" ? "B" : "A")
        let page = try await payments.page(changed)
        #expect(page == nil)
      }
      let secondPage = try await payments.page("")
      #expect(secondPage == nil)
    }
  }
}
