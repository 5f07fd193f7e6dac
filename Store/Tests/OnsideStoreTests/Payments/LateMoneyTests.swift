import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Money that comes late", .timeLimit(.minutes(5)))
struct LateMoneyTests {
  @Test(
    "STO-14: of two orders with the introductory price, paid at the same time, one is charged and the other goes back")
  func offerTwice() async throws {
    try await TestStore().plans { shopper in
      let (slow, quick) = (try await shopper.order("monthly"), try await shopper.order("monthly"))
      #expect(slow.price.amount == 99 && quick.price.amount == 99)
      let outcome = try await shopper.pay(slow, with: .settlesLater)
      #expect(outcome == .pending)
      let bought = try await shopper.pay(quick, with: .succeeds)
      #expect(bought == .paid)
      try await shopper.store.core.orders.refund(quick.id.uuid, because: .support)
      try await shopper.store.settle()
      let late = try await shopper.order(slow.id)
      #expect(late.state == .cancelled && late.cancelReason == .offerUsed)
      #expect(try await shopper.store.hasGivenBack(slow.id))
    }
  }

  @Test("STO-14: a charge of an introductory price that another order has used goes back, and begins no subscription")
  func lostOffer() async throws {
    try await TestStore().plans { shopper in
      let (order, other) = (try await shopper.order("monthly"), try await shopper.order("monthly"))
      let outcome = try await shopper.pay(order, with: .secondStep)
      #expect(outcome == .secondStep)
      let bought = try await shopper.pay(other, with: .succeeds)
      #expect(bought == .paid)
      try await shopper.store.core.orders.refund(other.id.uuid, because: .support)
      let token = try #require(order.paymentURL?.lastPathComponent)
      let payments = shopper.store.core.payments
      let shown = try await payments.pay(
        token, with: .offered(SandboxCard.succeeds.rawValue, save: false), shownPrice: order.price.money)
      let regular = try TestShop.money(999, "EUR")
      #expect(shown == .priceChanged(regular))
      // Its bank has agreed before anybody could cancel it.
      let core = shopper.store.core
      let id = try #require(try await shopper.store.payments(of: order.id).first)
      try await core.dependencies.database.write(at: shopper.store.clock.now()) { transaction in
        var paying = try #require(try core.orders.records.order(order.id.uuid, in: transaction))
        let payment = try #require(try PaymentRecords().payment(id, in: transaction))
        let charge = ChargeReport(id: id, orderID: order.id.uuid, amount: payment.amount)
        try core.payments.startedPayments.charges.apply(
          .succeeded, of: charge, from: payment.provider, to: &paying, in: transaction)
      }
      try await core.deliverOutbox()
      let state = try await shopper.order(order.id).state
      #expect(state != .paid)
      #expect(try await shopper.store.hasGivenBack(order.id))
    }
  }

  @Test("PRD-9: an offer stays used when the plan that used it is not sold any more")
  func offerOfFormerPlan() async throws {
    try await TestStore().plans { shopper in
      let amount = try await shopper.buy("monthly").price.amount
      #expect(amount == 99)
      try await shopper.store.sell([("yearly", .oneYear)])
      shopper.store.advance(by: .seconds(40 * 86_400))
      let secondAmount = try await shopper.order("yearly").price.amount
      #expect(secondAmount == 999)
    }
  }

  @Test("STO-14: while a plan runs, another one of its group is not ordered, not paid, and money for it goes back")
  func twoPlans() async throws {
    try await TestStore().plans { shopper in
      let (open, slow) = (try await shopper.order("yearly"), try await shopper.order("yearly"))
      let outcome = try await shopper.pay(slow, with: .settlesLater)
      #expect(outcome == .pending)
      let monthly = try await shopper.buy("monthly")
      let request = OrderRequest(productID: "yearly", country: try TestShop.country("NL"))
      let refused = try await shopper.tryOrder(request, key: shopper.store.freshID())
      #expect(refused.status == .conflict)
      let code = try refused.problem().code
      #expect(code == .subscriptionActive)
      let secondOutcome = try await shopper.pay(open, with: .succeeds)
      #expect(secondOutcome == .closed)
      let cancelReason = try await shopper.order(open.id).cancelReason
      #expect(cancelReason == .subscriptionActive)
      try await shopper.store.settle()
      let secondCancelReason = try await shopper.order(slow.id).cancelReason
      #expect(secondCancelReason == .subscriptionActive)
      #expect(try await shopper.store.hasGivenBack(slow.id))
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [monthly.id])
      shopper.store.advance(by: .seconds(40 * 86_400))
      let state = try await shopper.buy("yearly").state
      #expect(state == .paid)
    }
  }

  @Test("STO-14: money that comes after its account was removed goes back")
  func removedAccount() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("remove_ads")
      let outcome = try await shopper.pay(order, with: .settlesLater)
      #expect(outcome == .pending)
      let store = shopper.store
      #expect(try await store.removeAccount(shopper.accountID))
      try await store.settle()
      let late = try #require(
        try await store.core.dependencies.database.read { try store.core.orders.records.order(order.id.uuid, in: $0) })
      #expect(late.state.stage == .cancelled && late.cancelReason == .accountRemoved)
      #expect(try await store.hasGivenBack(order.id))
    }
  }

  @Test("STO-14: a late success of an earlier try pays an order that is still open, and the try after it goes back")
  func earlierTry() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.order("coins"), shopper.store)
      let outcome = try await shopper.pay(order, with: .lateCallback)
      #expect(outcome == .pending)
      let first = try #require(try await store.payments(of: order.id).first)
      let event = try await store.event("declined", payment: first, order: order.id, with: shopper.client)
      #expect(event == .noContent)
      let secondOutcome = try await shopper.pay(order, with: .settlesLater)
      #expect(secondOutcome == .pending)
      let secondEvent = try await store.event("succeeded", payment: first, order: order.id, with: shopper.client)
      #expect(secondEvent == .noContent)
      let state = try await shopper.order(order.id).state
      #expect(state == .paid)
      try await store.settle()
      let kinds = try await store.ledger(order.id).map { String($0.kind.prefix { $0 != ":" }) }.sorted()
      #expect(kinds == ["commission", "sale", "surplus", "surplus_refund"])
    }
  }

  @Test("STO-14: a start that is delivered again does not reopen a payment whose second step was done meanwhile")
  func repeatedStart() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.order("coins"), shopper.store)
      let outcome = try await shopper.pay(order, with: .secondStep)
      #expect(outcome == .secondStep)
      let id = try #require(try await store.payments(of: order.id).first)
      let now = store.clock.now()
      try await store.core.dependencies.database.write(at: now) { transaction in
        let records = PaymentRecords()
        var payment = try #require(try records.payment(id, in: transaction))
        try OutboxRecords().add(
          PaymentOutboxKind.start,
          payload: OutboxPayload.text(
            ChargeRequest(payment, account: shopper.accountID, environment: .sandbox)), due: now, in: transaction)
        // The buyer has confirmed the payment: the second call to the provider is in flight.
        payment.state = .started
        payment.step += 1
        try records.save(payment, in: transaction)
        var paying = try #require(try store.core.orders.records.order(order.id.uuid, in: transaction))
        _ = try paying.state.handle(.paymentStarted, at: now)
        try store.core.orders.records.update(paying, in: transaction)
      }
      try await store.core.deliverOutbox()
      let state = try await shopper.order(order.id).state
      #expect(state == .processing)
    }
  }

  @Test(
    "STO-14: a payment that could not be made in time is asked about, and ends as the provider says",
    arguments: [PaymentOutboxKind.start, PaymentOutboxKind.confirm])
  func tooLate(kind: String) async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let (unknown, known) = (
        try await store.handOver(shopper, kind: kind), try await store.handOver(shopper, kind: kind)
      )
      let event = SandboxEvent(
        eventID: "e", type: .succeeded, paymentID: known.payment, orderID: known.order.description, amount: 99,
        currency: "EUR")
      try await SandboxRecords(database: store.core.dependencies.database).note(event, at: store.clock.now())
      store.advance(by: .seconds(PaymentService.startLimit))
      try await store.core.deliverOutbox()
      let ended = try await shopper.order(unknown.order)
      #expect(ended.state == .cancelled && ended.cancelReason == .expired)
      let ledger = try await store.ledger(unknown.order)
      #expect(ledger.isEmpty)
      let state = try await shopper.order(known.order).state
      #expect(state == .paid)
    }
  }

  @Test("STO-14: a payment that waits to be started is not, when its order was paid by another one meanwhile")
  func paidMeanwhile() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let waiting = try await store.handOver(shopper, kind: PaymentOutboxKind.start)
      let answer = try await store.event("succeeded", payment: "own", order: waiting.order, with: shopper.client)
      #expect(answer == .noContent)
      try await store.core.deliverOutbox()
      let record = try await SandboxRecords(database: store.core.dependencies.database).charge(waiting.payment)
      #expect(record == nil)
      let state = try await shopper.order(waiting.order).state
      #expect(state == .paid)
    }
  }

  @Test("STO-3: an event with another amount than the payment's is refused and changes nothing")
  func otherAmount() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.order("coins"), shopper.store)
      let outcome = try await shopper.pay(order, with: .lateCallback)
      #expect(outcome == .pending)
      let payment = try #require(try await store.payments(of: order.id).first)
      for type in ["succeeded", "refunded"] {
        let answer = try await store.event(type, payment: payment, order: order.id, amount: 1, with: shopper.client)
        #expect(answer == .badRequest)
      }
      let state = try await shopper.order(order.id).state
      #expect(state == .processing)
      let event = try await store.event("succeeded", payment: payment, order: order.id, with: shopper.client)
      #expect(event == .noContent)
      let secondState = try await shopper.order(order.id).state
      #expect(secondState == .paid)
    }
  }

  @Test(
    "STO-14: money of another amount than the price, paid on the provider's own page, goes back; the order stays open")
  func foreignPayment() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.order("coins"), shopper.store)
      let answer = try await store.event("succeeded", payment: "own", order: order.id, amount: 1, with: shopper.client)
      #expect(answer == .noContent)
      let state = try await shopper.order(order.id).state
      #expect(state == .open)
      let minorUnits = try await store.ledger(order.id).map(\.amount.minorUnits)
      #expect(minorUnits == [1])
      try await store.core.deliverOutbox()
      #expect(try await store.hasGivenBack(order.id))
      let secondState = try await shopper.order(order.id).state
      #expect(secondState == .open)
    }
  }
}

extension TestStore {
  /// A shop with two plans of one group; the first period of each costs a new subscriber 99 cents.
  fileprivate func plans(_ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    try await shop { shopper in
      try await sell([("monthly", .oneMonth), ("yearly", .oneYear)])
      try await body(shopper)
    }
  }

  /// Sells these plans of one group, each with an introductory price, and nothing else.
  fileprivate func sell(_ plans: [(id: String, period: Period)]) async throws {
    let nl = try TestShop.country("NL")
    let price = try TestShop.money(99)
    let products = plans.map { id, period in
      let offer = Offer(
        id: "intro", kind: .introductory, mode: .payAsYouGo, period: period, periodCount: 1, prices: [nl: price])
      return Product(
        id: id, kind: .autoRenewableSubscription, referenceName: id,
        prices: [nl: Money(minorUnits: 999, currency: .eur)],
        subscription: Subscription(groupID: "plans", groupName: "Plans", period: period, offers: [offer]))
    }
    try await core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
  }

  /// Whether the payment of an order was booked as a surplus and refunded, without a sale.
  func hasGivenBack(_ order: OrderID) async throws -> Bool {
    let kinds = try await ledger(order).map { String($0.kind.prefix { $0 != ":" }) }.sorted()
    let faults = try await core.dependencies.database.read { try Reconciliation($0).faults() }
    return kinds == ["surplus", "surplus_refund"] && faults.isEmpty
  }

  /// An order whose payment is in the outbox and has not reached the provider yet.
  fileprivate func handOver(_ shopper: Shopper, kind: String) async throws -> (order: OrderID, payment: String) {
    let (order, now) = (try await shopper.order("coins"), clock.now())
    let payment = Payment(
      id: freshID().lowercase, orderID: order.id.uuid, provider: "sandbox", method: SandboxCard.succeeds.rawValue,
      amount: order.price.money, state: .started, step: 1)
    try await core.dependencies.database.write(at: now) { [core] transaction in
      try PaymentRecords().save(payment, in: transaction)
      var paying = try #require(try core.orders.records.order(order.id.uuid, in: transaction))
      paying.paymentID = payment.id
      _ = try paying.state.handle(.paymentStarted, at: now)
      try core.orders.records.update(paying, in: transaction)
      let handed = ChargeRequest(
        payment, account: shopper.accountID, environment: .sandbox, startBefore: now + PaymentService.startLimit)
      try OutboxRecords().add(kind, payload: OutboxPayload.text(handed), due: now, in: transaction)
    }
    return (order.id, payment.id)
  }
}
