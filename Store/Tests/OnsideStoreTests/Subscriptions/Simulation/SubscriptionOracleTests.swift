import Foundation
import OnsideCommerce
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// A store that is broken on purpose: the oracle of the simulation has to see each fault.
@Suite(
  "Subscriptions: the oracle of the simulation", .onSQLite("the oracle is the same for each engine"),
  .timeLimit(.minutes(5)))
struct SubscriptionOracleTests {
  private typealias Life = @Sendable (inout SubscriptionSimulation) async throws -> Void
  private static let month = 31.0 * 86_400

  /// What is done, and a part of what has to be found.
  private static let breaks: [String: (finds: String, life: Life)] = [
    "a period that is charged twice": (
      "has cost 1998",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.pass(month)
        let renewal = try #require(life.world.stripe.payments.last)
        try await life.world.chargeAgain(renewal, of: life.oracle.accounts[0].customer)
        try await life.oracle.lookAtRest()
      }
    ),
    "a renewal after the renewal was switched off": (
      "switched off, and charged",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.oracle.look(life.plans)
        life.oracle.accounts[0].offSince = life.world.now
        try await life.pass(month)
      }
    ),
    "a renewal with another saved card": (
      "is not the subscription's method: charged",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.addCard("5555555555554444", of: life.oracle.accounts[0].customer)
        for table in ["subscriptions", "subscription_consents"] {
          try await life.world.change(
            """
            UPDATE \(table)
            SET method_id = (SELECT id FROM payment_methods ORDER BY created_at DESC, id DESC LIMIT 1)
            """)
        }
        try await life.pass(month)
      }
    ),
    "a renewal with the card before the chosen one": (
      "is not the subscription's method: charged",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.oracle.look(life.plans)
        let customer = life.oracle.accounts[0].customer
        let known = try #require(try await life.world.subscription(of: customer))
        try await life.world.addCard("5555555555554444", of: customer)
        let card = try #require(try await life.world.core.payments.methods(of: customer.account).first)
        #expect(
          try await life.world.core.subscriptions.setMethod(
            card.id, shownPrice: known.machine.nextPrice, of: known.key))
        life.oracle.accounts[0].use(card.details.reference, at: life.world.now)
        for table in ["subscriptions", "subscription_consents"] {
          try await life.world.change("UPDATE \(table) SET method_id = '\(known.method ?? "")'")
        }
        try await life.pass(month)
      }
    ),
    "the yearly plan with the card of another person": (
      "another person's card, given for 999 for basic, was charged 5999 for yearly",
      { life in
        try await life.buyByLink(0, plan: "basic")
        try await life.world.change("UPDATE subscription_consents SET given_by = 'account'")
        try await life.choose(0, "yearly")
        try await life.pass(month)
      }
    ),
    "a trial whose first charge is above the price on its page": (
      "after an offer, 349 on its page",
      { life in
        try await life.buy(0, plan: "weekly")
        // The trial is no offer any more for the store.
        try await life.world.change("UPDATE subscriptions SET machine = replace(machine, '\"offer\":', '\"former\":')")
        try await life.reprice("weekly", to: 399)
        try await life.pass(month)
      }
    ),
    "a charge of a removed account": (
      "a removed account was charged",
      { life in
        try await life.buy(0, plan: "basic")
        life.oracle.accounts[0].removedAt = life.world.now
        try await life.pass(month)
      }
    ),
    "a higher price of which nobody was told": (
      "was not told before it was charged 1049 for basic",
      { life in
        try await life.buy(0, plan: "basic")
        life.world.mailbox.behaviour = .loses
        try await life.reprice("basic", to: 1049)
        try await life.pass(month)
      }
    ),
    "a renewal while a bank decides about a payment": (
      "a bank was deciding, and was charged 999 for basic",
      { life in
        try await life.buy(0, plan: "basic")
        // Won, and not closed: the store charges, and the oracle still sees a dispute.
        try await life.world.change(
          """
          INSERT INTO disputes(id, order_id, payment_id, amount, currency, reason, state, is_withdrawn, opened_at)
          SELECT 'd1', id, payment_id, 999, 'EUR', 'general', 'won', 0, paid_at FROM orders
          """)
        try await life.pass(month)
      }
    ),
    "a price that needs consent, without it": (
      "did not agree to 1999 for basic",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.reprice("basic", to: 1999)
        try await life.pass(3600)
        let customer = life.oracle.accounts[0].customer
        _ = try await life.world.core.subscriptions.answerPrice(
          accepts: true, shownPrice: Money(minorUnits: 1999, currency: .eur),
          of: SubscriptionKey(account: customer.account, app: customer.app, group: "plans"))
        try await life.pass(month)
      }
    ),
    "the end of an offer of which nobody was told": (
      "was not told before it was charged 499 for small",
      { life in
        try await life.buy(0, plan: "small")
        life.world.mailbox.behaviour = .loses
        try await life.pass(month * 3)
      }
    ),
    "a year that is renewed without a word": (
      "was not told before it was charged 5999 for yearly",
      { life in
        try await life.buy(0, plan: "yearly")
        life.world.mailbox.behaviour = .loses
        try await life.pass(month * 12)
      }
    ),
    "a period that is too short": (
      "expected",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET expires_at = expires_at - 86400000")
        try await life.oracle.look(life.plans)
      }
    ),
    "access that was paid, and is not there": (
      "has paid and has no access",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET is_restorable = 0")
        try await life.oracle.look(life.plans)
      }
    ),
    "access behind its end": (
      "has access, its period ended",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.decline(times: 40)
        try await life.pass(month)
        life.oracle.accounts[0].offSince = life.world.now
        try await life.oracle.look(life.plans)
      }
    ),
    "a purchase without money": (
      "is paid without money",
      { life in
        try await life.order(0, plan: "basic")
        try await life.world.change("UPDATE orders SET state = 'paid', paid_at = created_at")
        try await life.oracle.look(life.plans)
      }
    ),
    "a sale that is not booked": (
      "books:",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET amount = amount + 1")
        try await life.oracle.lookAtRest()
      }
    ),
    "money that Stripe has given back, and the store does not know it": (
      "the store does not know it",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.pass(3600)
        try life.world.stripe.refundByHand(try #require(life.world.stripe.payments.last).id, amount: 100)
        life.world.stripe.loseDeliveries()
        try await life.oracle.lookAtRest()
      }
    ),
    "a charge of no order": (
      "is a charge of no order",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.charge(of: UUID(), customer: life.oracle.accounts[0].customer)
        try await life.oracle.look(life.plans)
      }
    ),
    "a price that no page has shown": (
      "no page has shown a charge of 999 for basic",
      { life in
        try await life.buy(0, plan: "basic")
        life.oracle.accounts[0].shown = [:]
        try await life.oracle.look(life.plans)
      }
    ),
    "a payment of an offer that is dearer than agreed": (
      "in an offer, charged 199 for small",
      { life in
        try await life.buy(0, plan: "small")
        try await life.oracle.look(life.plans)
        life.oracle.accounts[0].agreed["small"] = 198
        try await life.pass(month)
      }
    ),
    "no access while an unpaid renewal is asked for": (
      "has no access in its grace period",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.decline(times: 40)
        try await life.pass(month)
        try await life.world.change("DELETE FROM subscriptions")
        try await life.oracle.look(life.plans)
      }
    ),
    "a second introductory offer": (
      "has the introductory offer try, and is no first purchase",
      { life in
        try await life.buy(0, plan: "small")
        try await life.pass(3600)
        try await life.buy(0, plan: "pro")
        try await life.world.change("UPDATE orders SET offer_id = 'try' WHERE amount = 1999")
        try await life.oracle.look(life.plans)
      }
    ),
    "a promotional offer for somebody who has bought nothing": (
      "has the offer loyal, and nothing was bought before",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET offer_id = 'loyal'")
        try await life.oracle.look(life.plans)
      }
    ),
    "an offer that a stranger has signed": (
      "has an offer whose signature is by another key",
      { life in
        try await life.buy(0, plan: "basic")
        let (keys, signers) = (life.world.core.offerKeys, (life.promotions.server, life.promotions.forger))
        _ = try await keys.remove(signers.0.kid, of: TestShop.app.id)
        _ = try await keys.add(signers.1.publicKey, id: signers.1.kid, to: TestShop.app.id)
        try await life.order(0, plan: "pro", offer: "half", fault: .otherKey)
      }
    ),
    "a trial without a card": (
      "is a trial without a card",
      { life in
        try await life.order(0, plan: "pro")
        try await life.world.change("UPDATE orders SET state = 'paid', paid_at = created_at")
        try await life.oracle.look(life.plans)
      }
    ),
    "a trial that no page has shown": (
      "no page has shown a trial of pro",
      { life in
        try await life.buy(0, plan: "pro")
        life.oracle.accounts[0].shown = [:]
        try await life.oracle.look(life.plans)
      }
    ),
    "a trial that is charged before its end": (
      "is charged before its time",
      { life in
        try await life.buy(0, plan: "pro")
        try await life.pass(month)
        try await life.world.change("UPDATE orders SET paid_at = paid_at - 7200000 WHERE reason = 'RENEWAL'")
        try await life.oracle.look(life.plans)
      }
    ),
    "the end of a trial of which nobody was told": (
      "was not told before it was charged 349 for weekly",
      { life in
        try await life.buy(0, plan: "weekly")
        life.world.mailbox.behaviour = .loses
        try await life.pass(month)
      }
    ),
    "a trial that nobody goes on with, and whose card can still be set up": (
      "can still set a card up with",
      { life in
        let id = try #require(try await life.order(0, plan: "pro"))
        _ = try await life.world.core.payments.pay(
          life.world.core.payments.tokens.token(orderID: id), with: .offered("card", save: false, keep: true),
          shownPrice: .zero(.eur))
        try await life.oracle.lookAtRest()
      }
    ),
    "an order that waits for ever": (
      "waits for ever",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET state = 'processing'")
        try await life.oracle.lookAtRest()
      }
    ),
    "a cancelled order that was charged": (
      "is cancelled and cost 999",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET state = 'cancelled'")
        try await life.oracle.lookAtRest()
      }
    ),
    "a purchase that was taken back without its money": (
      "was taken back, and no money came back",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET revoked_at = created_at, revocation_reason = 'REFUND'")
        try await life.oracle.lookAtRest()
      }
    ),
    "a grant without a cause": (
      "is a grant without a cause",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET reason = 'GRANT'")
        try await life.oracle.lookAtRest()
      }
    ),
    "a grant for money that went back": (
      "is a grant for money that went back",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.world.change("UPDATE orders SET reason = 'GRANT', amount = 0, reinstates = id, cause = 'x'")
        try life.world.stripe.refundByHand(try #require(life.world.stripe.payments.last).id, amount: 999)
        life.world.stripe.loseDeliveries()
        try await life.oracle.lookAtRest()
      }
    ),
    "a grant beside a period that runs": (
      "is granted beside a period that runs",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.pass(month)
        try await life.world.change("UPDATE orders SET reason = 'GRANT', cause = 'x' WHERE reason = 'RENEWAL'")
        try await life.oracle.look(life.plans)
      }
    ),
    "a purchase that is owned, although its money went back": (
      "is owned, and its money went back",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.pass(3600)
        try life.world.stripe.refundByHand(try #require(life.world.stripe.payments.last).id, amount: 999)
        life.world.stripe.loseDeliveries()
        try await life.oracle.lookAtRest()
      }
    ),
    "a cancelled order that can still be paid": (
      "can still be paid with",
      { life in
        let id = try #require(try await life.order(0, plan: "basic"))
        _ = try await life.world.core.payments.pay(
          life.world.core.payments.tokens.token(orderID: id), with: .offered("card", save: false, keep: true),
          shownPrice: Money(minorUnits: 999, currency: .eur))
        try await life.world.change("UPDATE orders SET state = 'cancelled'")
        try await life.oracle.lookAtRest()
      }
    ),
    "a code that one account has used twice": (
      "the code was used [2] times",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.pass(month)
        try await life.world.change("UPDATE orders SET offer_id = 'card'")
        try await life.oracle.lookAtRest()
      }
    ),
    "work that is never done": (
      "has failed 3 times",
      { life in
        try await life.world.change(
          "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ('payment.notice', '{}', 0, 3)")
        try await life.oracle.lookAtRest()
      }
    ),
    "books that have more than Stripe": (
      "the store has 959 at Stripe, Stripe 859",
      { life in
        try await life.buy(0, plan: "basic")
        try await life.pass(3600)
        try life.world.stripe.refundByHand(try #require(life.world.stripe.payments.last).id, amount: 100)
        life.world.stripe.loseDeliveries()
        try await life.oracle.lookAtRest()
      }
    ),
  ]

  @Test("a rule of the oracle bites when it is broken", arguments: breaks.keys.sorted())
  func bites(name: String) async throws {
    let broken = try #require(Self.breaks[name])
    try await SubscribedStore.run(seed: 1) { world in
      var life = SubscriptionSimulation(world, seed: 1, graceDays: nil)
      try await life.begin(accounts: 1)
      try await broken.life(&life)
      #expect(life.oracle.faults.contains { $0.contains(broken.finds) }, "\(life.oracle.faults)")
    }
  }

  @Test("a trial without faults has none: a card that is set up, refused at its end and tried again, and an upgrade")
  func trial() async throws {
    try await SubscribedStore.run(seed: 1) { world in
      var life = SubscriptionSimulation(world, seed: 1, graceDays: nil)
      try await life.begin(accounts: 1)
      try await life.buy(0, plan: "weekly")
      try await life.world.decline(times: 1)
      try await life.pass(86_400 * 9)
      try await life.buy(0, plan: "pro")
      try await life.pass(Self.month)
      try await life.end()
      #expect(life.oracle.faults == [], "\(life.story.joined(separator: "\n"))")
      let charged = world.stripe.payments.filter { $0.successfulCharges > 0 }.map(\.amount)
      #expect(charged == [349, 1999, 1999])
    }
  }

  @Test("SUB-19: the card of a person without the login pays its plan, and no other one that the account chooses")
  func otherPerson() async throws {
    try await SubscribedStore.run(seed: 1) { world in
      var life = SubscriptionSimulation(world, seed: 1, graceDays: nil)
      try await life.begin(accounts: 1)
      try await life.buyByLink(0, plan: "basic")
      let choice = try await life.choose(0, "yearly")
      #expect(choice == .needsMethod)
      try await life.pass(Self.month)
      #expect(life.oracle.faults == [], "\(life.story.joined(separator: "\n"))")
      #expect(world.stripe.payments.filter { $0.successfulCharges > 0 }.map(\.amount) == [999, 999])
    }
  }

  @Test("SUB-9: a rise whose mail is refused, held up or not confirmed is put off: the renewal costs what it did")
  func untold() async throws {
    for behaviour in [Mailbox.Behaviour.busy, .refuses, .silent] {
      try await SubscribedStore.run(seed: 1) { world in
        var life = SubscriptionSimulation(world, seed: 1, graceDays: nil)
        try await life.begin(accounts: 1)
        try await life.buy(0, plan: "basic")
        world.mailbox.behaviour = behaviour
        try await life.reprice("basic", to: 1049)
        try await life.pass(Self.month)
        #expect(life.oracle.faults == [], "\(behaviour)")
        #expect(world.stripe.payments.filter { $0.successfulCharges > 0 }.map(\.amount) == [999, 999])
        #expect(world.mailbox.mails.isEmpty == false)
      }
    }
  }

  @Test("a life without faults has none: offers, renewals, a refusal, another card, an upgrade, a pause and the end")
  func silent() async throws {
    try await SubscribedStore.run(seed: 1) { world in
      var life = SubscriptionSimulation(world, seed: 1, graceDays: nil)
      try await life.begin(accounts: 1)
      try await life.buy(0, plan: "small")
      try await life.pass(Self.month * 3)
      try await life.reprice("small", to: 549)
      try await life.pass(Self.month)
      try await life.world.decline(times: 1)
      try await life.pass(Self.month)
      try await life.buy(0, plan: "pro")
      try await life.pass(Self.month * 2)
      try await life.end()
      #expect(life.oracle.faults == [], "\(life.story.joined(separator: "\n"))")
      #expect(
        world.stripe.payments.filter { $0.successfulCharges > 0 }.map(\.amount) == [
          199, 199, 499, 499, 549, 1999, 1999, 1999,
        ])
    }
  }
}

extension SubscriptionSimulation {
  /// Another person pays a plan that a buyer has ordered, by the order's link.
  fileprivate mutating func buyByLink(_ buyer: Int, plan: String) async throws {
    let id = try #require(try await order(buyer, plan: plan))
    try await visit(id, by: buyer, with: Wallet(isOwners: false))
    try await oracle.look(plans)
  }

  /// A buyer chooses a plan at its price.
  @discardableResult
  fileprivate mutating func choose(_ buyer: Int, _ plan: String) async throws -> PlanChoice {
    let customer = oracle.accounts[buyer].customer
    let price = Money(minorUnits: plans.prices[plan] ?? 0, currency: .eur)
    let choice = try await world.core.subscriptions.choosePlan(
      plan, shownPrice: price, language: "en",
      of: SubscriptionKey(account: customer.account, app: customer.app, group: "plans"))
    oracle.accounts[buyer].agree(plan, price, at: world.now)
    return choice
  }
}

extension SubscribedStore {
  /// What a broken store would do.
  fileprivate func chargeAgain(
    _ charged: StripeServerDouble.PaymentRecord, of customer: Customer
  ) async throws {
    try await charge(of: try #require(charged.metadata["order"].flatMap { UUID(uuidString: $0) }), customer: customer)
  }

  fileprivate func charge(of order: UUID, customer: Customer) async throws {
    let charged = try #require(stripe.payments.last)
    let payment = Payment(
      id: "again", orderID: order, provider: "stripe", method: charged.method, isSaved: true,
      amount: Money(minorUnits: charged.amount, currency: .eur), state: .started)
    _ = try await core.providers.active.chargeOffSession(
      ChargeRequest(payment, account: customer.account, environment: .sandbox, askedAt: now))
  }

  fileprivate func change(_ sql: String) async throws {
    try await core.dependencies.database.write { try $0.execute(sql, []) }
  }

  fileprivate func decline(times: Int) async throws {
    for method in stripe.savedMethods {
      try stripe.decline(method, with: Array(repeating: Decline("insufficient_funds"), count: times))
    }
  }
}
