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
@testable import StoreWeb

/// The payment methods of subscriptions at Stripe.
@Suite("Stripe: the payment method of a subscription", .timeLimit(.minutes(5)))
struct StripeSubscriptionMethodTests {
  private static let mastercard = "5555555555554444"

  /// Pays an order with a card that is entered, on a page that says that the subscription renews.
  private static func pay(
    _ order: OrderMessage, with number: String = "4242424242424242", saving: Bool = false, at shop: StripeStore
  ) async throws {
    try await shop.pay(order, with: .offered("card", save: saving, keep: true))
    try await shop.enter(number)
    let outcome = try await shop.confirm(order)
    #expect(outcome == .paid)
    try await shop.tell()
  }

  /// Subscribes with a card that is not saved for other purchases.
  private static func subscribe(_ shop: StripeStore, saving: Bool = false) async throws -> Subscriber {
    let order = try await shop.order("pro")
    try await pay(order, saving: saving, at: shop)
    return Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
  }

  /// The method that the subscription uses.
  private static func method(_ subscriber: Subscriber) async throws -> SavedPaymentMethod? {
    try await subscriber.method()
  }

  /// Sweeps unused methods twice, a day apart, and lets Stripe detach them; returns their number.
  @discardableResult
  private static func sweep(_ shop: StripeStore) async throws -> Int {
    let core = shop.store.core
    let sweep = MethodSweep(core.dependencies.base, providers: core.providers)
    try await sweep.run()
    shop.store.advance(by: .seconds(MethodSweep.period))
    let count = try await sweep.run()
    try await core.deliverOutbox()
    return count
  }

  @Test("SUB-17: the method that pays becomes the subscription's, is listed with it, and is not a saved one")
  func listed() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      try await subscriber.pass(days: 40)
      let used = try await shop.store.core.payments.listedMethods(of: shop.shopper.accountID)
      #expect(used.map(\.method.details.brand) == ["Visa"] && used.map(\.method.details.lastFour) == ["4242"])
      #expect(used.first?.uses == [ListedMethod.Use(appID: TestShop.app.id, title: "Pro")])
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
      let details = try await shop.store.core.dependencies.database.read { [key = subscriber.key] in
        try SubscriptionDetails(of: key, in: $0)
      }
      #expect(details?.method?.name == "Visa 4242" && details?.method?.isSaved == false)
    }
  }

  @Test(
    "SUB-17: the saved card that paid renews the subscription; another card that is saved or preferred changes nothing")
  func otherCardSaved() async throws {
    try await StripeStore.run { shop in
      let visa = try await shop.save()
      shop.store.advance(by: .seconds(1))
      let mastercard = try await shop.save(Self.mastercard)
      let order = try await shop.order("pro")
      try await shop.pay(order, with: .saved(visa.id, keep: true))
      try await shop.tell()
      let subscriber = Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
      try await subscriber.pass(days: 31)
      #expect(try await shop.store.core.payments.prefer(mastercard.id, of: shop.shopper.accountID))
      try await subscriber.pass(days: 31)
      #expect(shop.stripe.payments.map(\.method) == Array(repeating: visa.details.reference, count: 3))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid, .paid])
    }
  }

  @Test("SUB-17: a declined method charges no other card; the one that pays by hand takes its place")
  func declined() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let first = try #require(try await Self.method(subscriber))
      let saved = try await shop.save(Self.mastercard)
      let lost = Decline("expired_card", code: "expired_card")
      try shop.stripe.decline(first.details.reference, with: [lost, lost])
      try await subscriber.pass(days: 33)
      #expect(!shop.stripe.payments.contains { $0.method == saved.details.reference })
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .open)
      let outcome = try await shop.pay(
        try await shop.shopper.order(OrderID(renewal.id)), with: .saved(saved.id, keep: true))
      #expect(outcome == .paid)
      let method = try await Self.method(subscriber)
      #expect(method?.id == saved.id)
      try await Self.sweep(shop)
      #expect(shop.stripe.savedMethods == [saved.details.reference])
      // The declined card is detached. The payment that it has made is refunded all the same.
      try await shop.store.core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await shop.tell()
      #expect(shop.stripe.payments.first?.refunded == 999)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("SUB-17: a chosen method pays an unpaid renewal at once; another account's method is rejected")
  func chosen() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let first = try #require(try await Self.method(subscriber))
      try shop.stripe.decline(first.details.reference, with: [Decline("expired_card", code: "expired_card")])
      try await subscriber.pass(days: 31)
      let foreign = try await shop.store.save(.succeeds, of: try await shop.store.account())
      let isForeignChosen = try await subscriber.setMethod(foreign)
      #expect(!isForeignChosen)
      let saved = try await shop.save(Self.mastercard)
      #expect(try await subscriber.setMethod(saved.id))
      try await shop.store.core.deliverOutbox()
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
      #expect(shop.stripe.payments.last?.method == saved.details.reference)
    }
  }

  @Test("SUB-17: a method that its account removes is detached, and the subscription that uses it no longer renews")
  func removed() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let saved = try await shop.save(Self.mastercard)
      let (first, payments) = (try #require(try await Self.method(subscriber)), shop.store.core.payments)
      let isRemovedByAnother = try await payments.remove(first.id, of: "another account")
      #expect(!isRemovedByAnother)
      #expect(try await payments.remove(first.id, of: shop.shopper.accountID))
      let isRemovedAgain = try await payments.remove(first.id, of: shop.shopper.accountID)
      #expect(!isRemovedAgain)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.savedMethods == [saved.details.reference])
      try await subscriber.pass(days: 31)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.cancelled))
      #expect(shop.stripe.payments.count == 1)
    }
  }

  @Test("SUB-17: the sweep detaches the method of an ended subscription, and none that is saved or in use")
  func swept() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let saved = try await shop.save(Self.mastercard)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 2)
      let countWhileUsed = try await Self.sweep(shop)
      #expect(countWhileUsed == 0 && shop.stripe.savedMethods.count == 2)
      try await subscriber.pass(days: 40)
      let count = try await Self.sweep(shop)
      #expect(count == 1 && shop.stripe.savedMethods == [saved.details.reference])
    }
  }

  @Test("SUB-17: a card that is saved for purchases, too, is one method")
  func both() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop, saving: true)
      let saved = try #require(try await shop.methods().first)
      let method = try await Self.method(subscriber)
      #expect(method == saved)
      try await shop.store.core.payments.remove(saved.id, of: shop.shopper.accountID)
      let used = try await shop.store.core.payments.listedMethods(of: shop.shopper.accountID)
      #expect(used.isEmpty)
    }
  }

  @Test("SUB-17: the method of an upgrade takes the place of the one before")
  func upgrade() async throws {
    try await StripeStore.run { shop in
      try await shop.store.core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      try await Self.pay(try await shop.order("basic"), at: shop)
      try await Self.pay(try await shop.order("pro"), with: Self.mastercard, at: shop)
      let used = try await shop.store.core.payments.listedMethods(of: shop.shopper.accountID)
      #expect(used.map(\.method.details.lastFour) == ["4444"])
      try await Self.sweep(shop)
      #expect(shop.stripe.savedMethods == used.map(\.method.details.reference))
    }
  }

  @Test("SUB-17: a card that its bank has replaced is listed with its new number, and pays an unpaid renewal at once")
  func replaced() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let first = try #require(try await Self.method(subscriber))
      let lost = Decline("expired_card", code: "expired_card")
      try shop.stripe.decline(first.details.reference, with: [lost, lost, lost])
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      try shop.stripe.renewCard(first.details.reference, lastFour: "1111", year: 2040)
      for _ in 0..<2 { try await shop.tell() }
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.paid])
      let lastFour = try await Self.method(subscriber)?.details.lastFour
      #expect(lastFour == "1111")
    }
  }

  @Test("SUB-17: without the method that its provider has detached, the renewal stays on and nothing is charged")
  func detached() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      try await shop.save(Self.mastercard)
      let (first, core) = (try #require(try await Self.method(subscriber)), shop.store.core)
      _ = try await core.dependencies.database.write(at: shop.clock.now()) {
        try core.payments.events.apply(.methodDetached(reference: first.details.reference), from: "stripe", in: $0)
      }
      let method = try await Self.method(subscriber)
      #expect(method == nil)
      try await subscriber.pass(days: 31)
      let machine = try await subscriber.machine()
      #expect(machine.autoRenews && machine.stage == .retry)
      #expect(shop.stripe.payments.count == 1)
    }
  }

  @Test("SUB-17: a renewal that is paid by a charge of another copy of the database keeps the subscription's method")
  func paidElsewhere() async throws {
    try await StripeStore.run { shop in
      let subscriber = try await Self.subscribe(shop)
      let (first, core) = (try #require(try await Self.method(subscriber)), shop.store.core)
      let end = try #require(subscriber.purchase.expiresAt)
      shop.store.advance(by: .seconds((end - 3600).timeIntervalSince(shop.clock.now())))
      // The charge is asked for, and has not left this copy.
      try await core.subscriptions.passTime()
      let renewal = try #require(try await subscriber.renewals().first)
      _ = try await core.dependencies.database.write(at: shop.clock.now()) {
        try core.payments.events.apply(
          .succeeded(ChargeReport(id: "elsewhere", orderID: renewal.id, amount: renewal.price)), from: "stripe", in: $0)
      }
      try await core.deliverOutbox()
      try await Self.sweep(shop)
      #expect(shop.stripe.savedMethods == [first.details.reference])
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid, .paid])
      #expect(shop.stripe.payments.map(\.method) == [first.details.reference, first.details.reference])
    }
  }

  @Test("SUB-17: the page of payment methods names the subscription of each, and removes one that is not saved")
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
        let account = visit.shop.store.account(of: tokens).description
        let used = try #require(try await visit.shop.store.core.payments.listedMethods(of: account).first)
        #expect(browser.html.contains("Visa, ends in 4242"))
        #expect(browser.html.contains("\("Pro".isolated) in \("Lumen".isolated)"))
        #expect(!browser.html.contains("Make default") && !browser.html.contains("badge good"))
        try await browser.submit(page, with: ["method": used.method.id, "do": "remove"])
        let listed = try await visit.shop.store.core.payments.listedMethods(of: account)
        #expect(browser.html.contains("Remove \("Visa, ends in 4242".isolated)?") && listed.count == 1)
        try await browser.submit(page, with: ["replacement": "end", "do": "remove"])
        #expect(browser.path.hasPrefix(page) && browser.html.contains("You haven’t saved a card yet"))
        try await visit.shop.store.core.deliverOutbox()
        #expect(visit.stripe.savedMethods.isEmpty)
      }
    }
  }
}
