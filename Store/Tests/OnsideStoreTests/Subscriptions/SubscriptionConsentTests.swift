import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// What the store records as agreed, and by whom.
@Suite("Consents of subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionConsentTests {
  @Test(
    "SUB-19: a payment on a page that states the renewal records plan, price, method and buyer",
    arguments: [true, false])
  func page(isOwners: Bool) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic", isOwners: isOwners)
      let consent = try #require(try await subscriber.consents().first)
      let method = try #require(try await subscriber.method())
      #expect(consent.product == "basic" && consent.price.plainText == "999 EUR" && consent.period == .oneMonth)
      #expect(consent.method == method.id && consent.country.alpha2 == "NL")
      #expect(consent.way == .paymentPage && consent.giver == (isOwners ? .account : .payer))
      #expect(consent.givenAt == shopper.store.clock.now())
      try await subscriber.pass(days: 32)
      let count = try await subscriber.consents().count
      #expect(count == 1, "a renewal at the agreed price needs no other one")
    }
  }

  @Test("SUB-19: a trial's consent has the price after it, and an offer's also the price within it")
  func offers() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "small")
      let consent = try #require(try await subscriber.consents().first)
      #expect(consent.price.plainText == "499 EUR" && consent.offerPrice?.plainText == "0 EUR")
    }
  }

  @Test("SUB-19: the payment of a refused renewal's page replaces a plan that was chosen since")
  func pageAfterChoice() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end - 1800)
      let refused = try #require(try await subscriber.renewals().first)
      #expect(refused.state.stage == .open)
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let (core, token) = (shopper.store.core, shopper.store.core.orders.json.tokens.token(orderID: refused.id))
      let outcome = try await core.payments.pay(
        token, with: .offered(SandboxCard.succeeds.rawValue, save: true, keep: true), shownPrice: refused.price)
      #expect(outcome == .paid)
      let machine = try await subscriber.machine()
      #expect(machine.nextPlan == nil && machine.autoRenews)
      try await subscriber.pass(to: end + 32 * 86_400)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.product.message.id) == ["basic", "basic"])
      #expect(renewals.map(\.state.stage) == [.paid, .paid])
    }
  }

  @Test("SUB-19: a guest's payment of an announced higher price leaves the account's card to pay that price")
  func guestPaysRise() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let card = try #require(try await subscriber.method()?.id)
      let machine = try await subscriber.machine()
      let payment = Payment(
        id: "p", orderID: subscriber.purchase.id.uuid, provider: "sandbox", method: nil,
        amount: Money(minorUnits: 1099, currency: .eur), state: .succeeded)
      let raised = try await shopper.store.core.dependencies.database.write(at: shopper.store.clock.now()) {
        [service = shopper.store.core.subscriptions, key = subscriber.key] transaction in
        var known = try #require(try SubscriptionRecords.subscription(key, in: transaction))
        var order = try #require(try service.orders.order(known.lastOrder, in: transaction))
        order.reason = .renewal
        var period = try #require(machine.period)
        period.plan.price = payment.amount
        try service.consents.record(after: period, of: order, by: payment, for: &known, in: transaction)
        return try SubscriptionConsentRecords.present(of: known, in: transaction)
      }
      #expect(raised?.price == payment.amount && raised?.method == card && raised?.way == .notice)
    }
  }

  @Test("SUB-19: a payment on a page that states no renewal records no consent")
  func ends() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe(keeping: false)
      let consents = try await subscriber.consents()
      #expect(consents.isEmpty)
    }
  }

  @Test("SUB-19: a chosen plan, the present one taken back, and another card are consents of the account")
  func choices() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.store.move(shopper.accountID, to: "DE")
      let choice = try await subscriber.choose("small", at: 549)
      #expect(choice == .planned)
      let secondChoice = try await subscriber.choose("basic", at: 999)
      #expect(secondChoice == .kept)
      let card = try await shopper.store.save(.callbackTwice, of: shopper.accountID)
      #expect(try await subscriber.setMethod(card))
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await subscriber.setAutoRenew(true))
      let consents = try await subscriber.consents()
      let found = consents.map { "\($0.product) \($0.price.plainText) \($0.country.alpha2) \($0.way) \($0.giver)" }
      #expect(
        found == [
          "basic 999 EUR NL paymentPage account", "small 549 EUR DE subscriptionPage account",
          "basic 999 EUR NL subscriptionPage account", "basic 999 EUR NL subscriptionPage account",
        ])
      #expect(consents.last?.method == card && consents.first?.method != card)
    }
  }

  @Test(
    "SUB-19: an answer, a notice and a lower price raise or lower the consent with its charge",
    arguments: [(1599, "subscriptionPage"), (1099, "notice"), (899, "lower")] as [(Int64, String)])
  func prices(price: Int64, way: String) async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: price)
      try await shopper.store.core.deliverOutbox()
      if price == 1599 { #expect(try await subscriber.answer(accepts: true, at: price)) }
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      let consents = try await subscriber.consents()
      #expect(amounts == [price])
      #expect(consents.map(\.price.minorUnits) == [999, price])
      #expect(consents.map { "\($0.way)" } == ["paymentPage", way])
    }
  }

  @Test("SUB-19: a renewal above the consent is not charged: the page asks for a card, whose choice is the consent")
  func beyond() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await core.dependencies.database.write {
        try $0.execute(#"UPDATE subscriptions SET machine = replace(machine, '"amount":999', '"amount":1999')"#)
      }
      try await subscriber.pass(days: 40)
      let unpaid = try await subscriber.machine()
      #expect(unpaid.stage == .retry && unpaid.nextPrice?.minorUnits == 1999)
      let renewal = try #require(try await subscriber.renewals().first)
      let payments = try await shopper.store.payments(of: OrderID(renewal.id))
      #expect(payments.isEmpty)
      let method = try await subscriber.method()
      #expect(method == nil)
      #expect(try await subscriber.setMethod(try await shopper.store.save(.succeeds, of: shopper.accountID)))
      try await core.deliverOutbox()
      let charged = try await subscriber.renewals().map(\.state.stage)
      #expect(charged == [.paid])
      let consent = try #require(try await subscriber.consents().last)
      #expect(consent.price.minorUnits == 1999 && consent.way == .subscriptionPage)
    }
  }

  @Test("SUB-19: a charge that waits in the outbox is not made when the consent covers it no longer")
  func waiting() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      let end = try #require(subscriber.purchase.expiresAt)
      shopper.store.advance(by: .seconds(end.timeIntervalSince(shopper.store.clock.now()) - 1800))
      try await core.subscriptions.passTime()
      try await core.dependencies.database.write {
        try $0.execute("UPDATE subscription_consents SET amount = 998")
      }
      try await core.deliverOutbox()
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .open && renewal.paidAt == nil)
    }
  }

  @Test(
    "SUB-19: the card of a person without the login pays its plan; for another one the account chooses a card of its own",
    arguments: ["payer", "unknown"])
  func otherPlan(giver: String) async throws {
    try await PlanShop.open { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "basic", isOwners: false), shopper.store)
      try await store.core.dependencies.database.write {
        try $0.execute("UPDATE subscription_consents SET given_by = $1", [.text(giver)])
      }
      let choice = try await subscriber.choose("yearly", at: 5999)
      #expect(choice == .needsMethod)
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await subscriber.setAutoRenew(true), "at the price that was agreed")
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [999])
      let own = try await store.save(.callbackTwice, of: shopper.accountID)
      #expect(try await subscriber.setMethod(own))
      let secondChoice = try await subscriber.choose("yearly", at: 5999)
      #expect(secondChoice == .planned)
      try await subscriber.pass(days: 32)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.price.minorUnits) == [999, 5999])
      let paidWith = try await subscriber.method()
      #expect(paidWith?.id == own)
    }
  }

  @Test("SUB-19: a small rise is not applied where another person's card pays, until the account chooses its own")
  func otherSmallRise() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic", isOwners: false)
      try await subscriber.pass(days: 10)
      let outcome = try await subscriber.reprice(to: 1049)
      #expect(outcome == .later)
      try await subscriber.pass(days: 32)
      #expect(try await subscriber.setMethod(try await shopper.store.save(.callbackTwice, of: shopper.accountID)))
      let secondOutcome = try await subscriber.reprice(to: 1049)
      #expect(secondOutcome == .higher)
      try await subscriber.pass(days: 31)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [999, 1049])
    }
  }

  @Test("SUB-19: a rise that is asked is agreed to with a card of the account's own only")
  func otherPrice() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic", isOwners: false)
      try await subscriber.pass(days: 10)
      let outcome = try await subscriber.reprice(to: 1599)
      #expect(outcome == .asked)
      #expect(try await !subscriber.answer(accepts: true, at: 1599))
      #expect(try await subscriber.setMethod(try await shopper.store.save(.callbackTwice, of: shopper.accountID)))
      #expect(try await subscriber.answer(accepts: true, at: 1599))
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [1599])
    }
  }

  @Test("SUB-19: a new price during a trial is reported as later, and its first charge is the price of its page")
  func trial() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "small")
      let outcome = try await subscriber.reprice("small", to: 549)
      #expect(outcome == .later)
      try await subscriber.pass(days: 9)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [499])
      let secondOutcome = try await subscriber.reprice("small", to: 549)
      #expect(secondOutcome == .unchanged)
      let pending = try await subscriber.machine().pendingPrice?.minorUnits
      #expect(pending == 549)
    }
  }

  @Test("SUB-19: consents are deleted with their account")
  func removed() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.removeAccount(shopper.accountID))
      let consents = try await subscriber.consents()
      #expect(consents.isEmpty)
    }
  }
}

extension Subscriber {
  /// The consents to its renewals, the oldest first.
  func consents() async throws -> [SubscriptionConsent] {
    try await shopper.store.core.dependencies.database.read { [key] in
      try SubscriptionConsentRecords.all(of: key, in: $0)
    }
  }
}
