import Foundation
import OnsideAPI
import OnsideCommerce
import StripeDouble
import Testing

@testable import OnsideStore

/// Cards that are kept for a subscription alone.
@Suite("Stripe: cards that are kept for subscriptions", .timeLimit(.minutes(5)))
struct StripeKeptMethodTests {
  /// Subscribes with a card that is kept for that alone.
  private static func subscribe(_ shop: StripeStore, to plan: String = "pro") async throws -> Subscriber {
    let order = try await shop.order(plan)
    try await shop.pay(order, with: .offered("card", save: false, keep: true))
    try await shop.enter()
    let outcome = try await shop.confirm(order)
    #expect(outcome == .paid)
    try await shop.tell()
    return Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
  }

  private static func kept(_ shop: StripeStore) async throws -> [KeptPaymentMethod] {
    try await shop.store.core.payments.keptMethods(of: shop.shopper.accountID)
  }

  @Test("SUB-15: a card that is kept for a subscription is listed once, with what it is kept for, and is no saved one")
  func listed() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      try await subscriber.pass(days: 40)
      let kept = try await Self.kept(shop)
      #expect(kept.map(\.details.brand) == ["Visa"] && kept.map(\.details.lastFour) == ["4242"])
      #expect(kept.first?.uses == [KeptPaymentMethod.Use(appID: TestShop.app.id, title: "Pro")])
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
      let details = try await shop.store.core.dependencies.database.read { [key = subscriber.key] in
        try SubscriptionDetails(of: key, in: $0)
      }
      #expect(details?.method?.name == "Visa 4242" && details?.method?.isKept == true)
    }
  }

  @Test("SUB-15: removed, it is detached at Stripe, and the next renewal is charged to the account's first saved card")
  func removed() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let saved = try await shop.save("5555555555554444")
      let kept = try #require(try await Self.kept(shop).first)
      #expect(try await shop.store.core.payments.removeKept(kept.id, of: shop.shopper.accountID))
      let removeKept = try await shop.store.core.payments.removeKept(kept.id, of: shop.shopper.accountID)
      #expect(removeKept == false)
      try await shop.store.core.deliverOutbox()
      let remaining = try await Self.kept(shop)
      #expect(remaining.isEmpty)
      #expect(shop.stripe.savedMethods == [saved.details.reference])
      try await subscriber.pass(days: 31)
      #expect(shop.stripe.payments.last?.method == saved.details.reference)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-15: removed without a saved card, the next renewal has nothing to charge, and waits for its buyer")
  func removedAlone() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let kept = try #require(try await Self.kept(shop).first)
      let removeKept = try await shop.store.core.payments.removeKept(kept.id, of: "somebody else")
      #expect(removeKept == false)
      #expect(try await shop.store.core.payments.removeKept(kept.id, of: shop.shopper.accountID))
      try await subscriber.pass(days: 31)
      #expect(shop.stripe.payments.count == 1 && shop.stripe.savedMethods.isEmpty)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      try await shop.save()
      try await shop.store.core.dependencies.write(for: shop.shopper.accountID) { [shop] in
        try shop.store.core.orders.settlement.methodChanged(of: shop.shopper.accountID, in: $0)
      }
      try await shop.store.core.deliverOutbox()
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.paid])
    }
  }

  @Test("SUB-15: what has paid last is charged next; a card of an earlier purchase is charged no more, and not listed")
  func lastPaid() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let first = try #require(try await Self.kept(shop).first)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 40)
      let saved = try await shop.save("5555555555554444")
      let again = try await shop.order("pro")
      try await shop.pay(again, with: .saved(saved.id, keep: true))
      try await shop.tell()
      let stage = try await shop.stage(again)
      #expect(stage == .paid)
      let kept = try await Self.kept(shop)
      #expect(kept.isEmpty)
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
      #expect(shop.stripe.payments.last?.method == saved.details.reference)
      #expect(first.details.reference != saved.details.reference)
    }
  }

  @Test("SUB-15: the card of a subscription that is over is detached at Stripe, and not while it may go on")
  func over() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let saved = try await shop.save("5555555555554444")
      #expect(try await subscriber.setAutoRenew(false))
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.savedMethods.count == 2)
      try await subscriber.pass(days: 40)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.savedMethods == [saved.details.reference])
      let kept = try await shop.store.core.dependencies.database.read { [key = subscriber.key, shop] in
        try shop.store.core.orders.settlement.payments.keptMethods(ofPeriodsOf: key, in: $0)
      }
      #expect(kept.isEmpty)
    }
  }

  /// Pays an order with a card that is entered, and kept for the subscription alone.
  private static func pay(
    _ order: OrderMessage, with number: String, saving: Bool = false, at shop: StripeStore
  ) async throws {
    try await shop.pay(order, with: .offered("card", save: saving, keep: true))
    try await shop.enter(number)
    let outcome = try await shop.confirm(order)
    #expect(outcome == .paid)
    try await shop.tell()
  }

  @Test("SUB-15: a card that another one has replaced at a renewal is detached at once; what it has paid can go back")
  func replacedAtRenewal() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let first = try #require(try await Self.kept(shop).first)
      try shop.stripe.decline(first.details.reference, with: [Decline("expired_card", code: "expired_card")])
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 60)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .open && shop.stripe.savedMethods == [first.details.reference])
      try await Self.pay(try await shop.shopper.order(OrderID(renewal.id)), with: "5555555555554444", at: shop)
      let second = try #require(try await Self.kept(shop).first)
      #expect(second.details.lastFour == "4444" && shop.stripe.savedMethods == [second.details.reference])
      // The period that was paid ahead is taken back: the new card is the one that is charged all the same.
      try await shop.store.core.orders.refund(renewal.id, because: .refund)
      #expect(try await subscriber.setAutoRenew(true))
      let details = try await Self.kept(shop).map(\.details)
      #expect(details == [second.details])
      try await shop.store.core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await shop.tell()
      #expect(shop.stripe.payments.map(\.refunded).filter { $0 > 0 } == [999, 999])
      #expect(shop.stripe.savedMethods.isEmpty)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("SUB-15: the card of a period paid ahead and taken back goes on, also to one that a saved card has paid")
  func handedOn() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let saved = try await shop.save("5555555555554444")
      let first = try #require(try await Self.kept(shop).first)
      #expect(try await shop.store.core.payments.removeKept(first.id, of: shop.shopper.accountID))
      try await subscriber.pass(days: 31)
      let running = try #require(try await subscriber.renewals().first)
      #expect(shop.stripe.payments.last?.method == saved.details.reference)
      try shop.stripe.decline(saved.details.reference, with: [Decline("expired_card", code: "expired_card")])
      try await subscriber.pass(to: try #require(running.expiresAt) - 60)
      let ahead = try #require(try await subscriber.renewals().first { $0.state.stage == .open })
      try await Self.pay(try await shop.shopper.order(OrderID(ahead.id)), with: "4242424242424242", at: shop)
      let kept = try #require(try await Self.kept(shop).first)
      try await shop.store.core.orders.refund(ahead.id, because: .refund)
      try await shop.tell()
      #expect(try await subscriber.setAutoRenew(true))
      let details = try await Self.kept(shop).map(\.details)
      #expect(details == [kept.details])
      try await shop.store.core.subscriptions.passTime()
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.payments.last?.method == kept.details.reference)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid, .paid, .paid])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-15: one of another provider than the running period's is detached when its period is taken back")
  func otherProvider() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      // As in a store that was paid through another provider before.
      try await shop.store.core.dependencies.database.write { [id = subscriber.purchase.id.uuid.lowercase] in
        try $0.execute(
          "UPDATE payments SET provider = 'sandbox', kept_method = NULL WHERE order_id = $1", [.text(id)])
      }
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 60)
      let ahead = try #require(try await subscriber.renewals().first)
      try await Self.pay(try await shop.shopper.order(OrderID(ahead.id)), with: "5555555555554444", at: shop)
      let kept = try #require(try await Self.kept(shop).first)
      #expect(shop.stripe.savedMethods.contains(kept.details.reference))
      try await shop.store.core.orders.refund(ahead.id, because: .refund)
      try await shop.tell()
      #expect(!shop.stripe.savedMethods.contains(kept.details.reference))
      let actualKept = try await Self.kept(shop)
      #expect(actualKept.isEmpty)
    }
  }

  @Test(
    "SUB-15: so is one that an upgrade was paid without; one that its owner has saved stays", arguments: [false, true])
  func replacedByUpgrade(isSaved: Bool) async throws {
    try await StripeStore.run { shop in
      try await shop.store.core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      try await Self.pay(try await shop.order("basic"), with: "4242424242424242", saving: isSaved, at: shop)
      let saved = try await shop.methods().map(\.details.reference)
      try await Self.pay(try await shop.order("pro"), with: "5555555555554444", at: shop)
      let kept = try await Self.kept(shop)
      #expect(kept.map(\.details.lastFour) == ["4444"] && saved.count == (isSaved ? 1 : 0))
      #expect(Set(shop.stripe.savedMethods) == Set(saved + kept.map(\.details.reference)))
    }
  }

  @Test("SUB-15: the card of a subscription that was taken back is detached at Stripe; a saved one stays")
  func takenBack() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      try await shop.store.core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await shop.tell()
      #expect(shop.stripe.savedMethods.isEmpty)
      let order = try await shop.order("pro")
      try await shop.pay(order, with: .offered("card", save: true, keep: true))
      try await shop.enter()
      let outcome = try await shop.confirm(order)
      #expect(outcome == .paid)
      try await shop.store.core.orders.refund(order.id.uuid, because: .refund)
      try await shop.tell()
      let references = try await shop.methods().map(\.details.reference)
      #expect(references == shop.stripe.savedMethods)
      #expect(shop.stripe.savedMethods.count == 1)
    }
  }

  @Test("SUB-15: a card that was to be kept for an order which is given up unpaid is detached, once nothing is open")
  func unpaid() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order("pro")
      try await shop.pay(order, with: .offered("card", save: false, keep: true))
      let method = try await shop.save()
      let settlement = shop.store.core.orders.settlement
      let keptWhileOpen = try await shop.store.core.dependencies.database.write(at: shop.clock.now()) {
        [shop] transaction in
        _ = try PaymentMethodRecords.remove(method.id, of: shop.shopper.accountID, in: transaction)
        let payment = try #require(try settlement.orders.order(order.id.uuid, in: transaction)?.paymentID)
        try settlement.payments.keep(method.details, of: payment, in: transaction)
        var open = try #require(try settlement.orders.order(order.id.uuid, in: transaction))
        try settlement.releaseMethods(of: open, in: transaction)
        let kept = try settlement.payments.keptMethods(ofOrder: open.id, in: transaction)
        try settlement.cancel(&open, because: .expired, in: transaction)
        return kept
      }
      #expect(keptWhileOpen.count == 1)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.savedMethods.isEmpty)
    }
  }

  @Test("SUB-15: a card that was saved for purchases, too, is a saved one alone, and is gone with it")
  func both() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order("pro")
      try await shop.pay(order, with: .offered("card", save: true, keep: true))
      try await shop.enter()
      try await shop.confirm(order)
      let kept = try await Self.kept(shop)
      #expect(kept.isEmpty)
      let saved = try #require(try await shop.methods().first)
      try await shop.store.core.payments.remove(saved.id, of: shop.shopper.accountID)
      let secondKept = try await Self.kept(shop)
      #expect(secondKept.isEmpty)
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
    }
  }

  @Test("SUB-15: a kept card that its bank has replaced is listed with its new number, and charged at once when unpaid")
  func replaced() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let kept = try #require(try await Self.kept(shop).first)
      let lost = Decline("expired_card", code: "expired_card")
      try shop.stripe.decline(kept.details.reference, with: [lost, lost, lost])
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      try shop.stripe.renewCard(kept.details.reference, lastFour: "1111", year: 2040)
      for _ in 0..<2 { try await shop.tell() }
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.paid])
      let lastFours = try await Self.kept(shop).map(\.details.lastFour)
      #expect(lastFours == ["1111"])
    }
  }

  @Test("SUB-15: the page of saved methods has kept cards in a section of their own, and says what a removal means")
  func page() async throws {
    try await StripePageTests.run { visit in
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let order = try await visit.shop.order(client, tokens: tokens, product: "pro")
        let browser = try await Browser(client).get(order.path)
        try await visit.shop.login.logIn(browser)
        try await browser.get(order.path)
        try await browser.submit(order.path, with: ["method": "card_card", "renews": "1"])
        try await StripePageTests.enter(visit, page: browser.page)
        try await browser.submit(browser.path, with: ["answer": "approve"])
        let path = try await visit.shop.methodsPage(client, tokens: tokens)
        let page = String(path.prefix { $0 != "?" })
        try await browser.get(path)
        let kept = try #require(
          try await visit.shop.store.core.payments.keptMethods(of: visit.shop.store.account(of: tokens).description)
            .first)
        #expect(browser.html.contains("For your subscriptions") && browser.html.contains("Visa, ends in 4242"))
        #expect(browser.html.contains("\("Pro".isolated) in \("Lumen".isolated)"))
        #expect(browser.html.contains("nothing to charge") && browser.html.contains("You haven’t saved a card yet"))
        try await browser.submit(page, with: ["method": kept.id, "do": "remove_kept"])
        #expect(browser.path.hasPrefix(page) && !browser.html.contains("For your subscriptions"))
        try await visit.shop.store.core.deliverOutbox()
        #expect(visit.stripe.savedMethods.isEmpty)
      }
    }
  }
}
