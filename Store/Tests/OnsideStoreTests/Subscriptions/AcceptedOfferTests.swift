import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales

/// Offers that present subscribers accept for the next renewal of their plan. The plan is `basic` at € 9.99, paid until
/// 10 February; the code's offer is three months for € 2.99, paid up front.
@Suite("Accepted offers", .timeLimit(.minutes(5)))
struct AcceptedOfferTests {
  /// A change of the catalogue between the page and its button.
  enum TermsChange: CaseIterable {
    case offerPrice, regularPrice, noOffer
  }

  private func open(
    isOwners: Bool = true, _ body: @escaping @Sendable (Shopper, Subscriber, [OfferCode]) async throws -> Void
  ) async throws {
    try await PlanShop.open { shopper in
      let core = shopper.store.core
      try await core.catalogue.replace(try OfferCodeTests.catalogue(), of: TestShop.app.id)
      var codes: [OfferCode] = []
      for _ in 0..<2 {
        codes += try await core.offerCodes.create(
          1, product: "basic", offer: OfferCodeTests.offer, of: TestShop.app.id, expiresAt: nil
        ).codes
      }
      let subscriber = try await shopper.subscribe(to: "basic", isOwners: isOwners)
      try await subscriber.pass(to: try #require("01-20".midnight))
      try await body(shopper, subscriber, codes)
    }
  }

  @Test(
    "SUB-24: an accepted offer charges nothing; the next renewal has its price, the one after it the regular one")
  func accepted() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      let running = try #require(try await shopper.page(of: order).running)
      #expect(running.acceptsOffer && running.price.plainText == "299 EUR")
      #expect(running.renewed.nextPeriodStart == "02-10".midnight)
      let outcome = try await shopper.renew(order, at: 299)
      #expect(outcome == .renewed)
      try await shopper.requireDuplicate(order.id, of: subscriber.purchase.id)
      let expiresAt = try await shopper.order(subscriber.purchase.id).expiresAt
      #expect(expiresAt == "02-10".midnight)
      let consent = try #require(try await subscriber.consents().last)
      #expect(consent.price.minorUnits == 999 && consent.offerPrice?.minorUnits == 299 && consent.giver == .account)
      try await subscriber.pass(to: try #require("05-11".midnight))
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [299, 999])
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(history.map(\.price.minorUnits) == [999, 299, 999] && history.map(\.offer?.kind) == [nil, .code, nil])
      let ends = history.map(\.expiresAt)
      #expect(ends == ["02-10".midnight, "05-10".midnight, "06-10".midnight])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: the acceptance switches the renewal on, or withdraws the chosen plan", arguments: [false, true])
  func withdraws(isPlanChosen: Bool) async throws {
    try await open { shopper, subscriber, codes in
      if isPlanChosen {
        let choice = try await subscriber.choose("small", at: 499)
        #expect(choice == .planned)
      } else {
        #expect(try await subscriber.setAutoRenew(false))
      }
      let order = try await shopper.redeemed(codes[0])
      let outcome = try await shopper.renew(order, at: 299)
      #expect(outcome == .renewed)
      let machine = try await subscriber.machine()
      #expect(machine.autoRenews && machine.nextPlan == nil && machine.nextPrice?.minorUnits == 299)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let renewals = try await subscriber.renewals().map { "\($0.product.message.id) \($0.price.minorUnits)" }
      #expect(renewals == ["basic 299"])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: switching the renewal off and on keeps an accepted offer; choosing another plan withdraws it")
  func wishes() async throws {
    try await open { shopper, subscriber, codes in
      let outcome = try await shopper.renew(try await shopper.redeemed(codes[0]), at: 299)
      #expect(outcome == .renewed)
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await subscriber.setAutoRenew(true))
      let price = try await subscriber.machine().nextPrice
      #expect(price?.minorUnits == 299)
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let back = try await subscriber.choose("basic", at: 999)
      #expect(back == .kept)
      let machine = try await subscriber.machine()
      #expect(machine.nextOffer == nil && machine.nextPrice?.minorUnits == 999)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [999])
    }
  }

  @Test("SUB-24: of two offers one is accepted; the other's order is cancelled, and its code is released")
  func twice() async throws {
    try await open { shopper, subscriber, codes in
      let (first, second) = (try await shopper.redeemed(codes[0]), try await shopper.redeemed(codes[1]))
      let outcome = try await shopper.renew(first, at: 299)
      #expect(outcome == .renewed)
      let other = try await shopper.renew(second, at: 299)
      #expect(other == .ordinary)
      try await shopper.requireCancelled(second.id)
      let stranger = try await shopper.store.account()
      #expect(try await !shopper.redeem(codes[0], as: stranger).isSuccess)
      #expect(try await shopper.redeem(codes[1], as: stranger).isSuccess)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: an order made before a renewal cannot apply its offer to the renewal after it; a later order can")
  func late() async throws {
    try await open { shopper, subscriber, codes in
      try await subscriber.pass(to: try #require("02-10".midnight) - 3700)
      let order = try await shopper.redeemed(codes[0])
      try await subscriber.pass(to: try #require("02-10".midnight) - 2800)
      let next = try await shopper.redeemed(codes[1])
      let start = try await shopper.page(of: next).running?.renewed.nextPeriodStart
      #expect(start == "03-10".midnight)
      #expect(try await shopper.page(of: order).isOwnedPlan)
      let end = try await shopper.endOwnedPlan(order)
      #expect(end == .ordinary)
      try await shopper.requireCancelled(order.id)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [999])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: in the hour before the end of a plan that does not renew no offer is accepted")
  func lastHour() async throws {
    try await open { shopper, subscriber, codes in
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(to: try #require("02-10".midnight) - 3700)
      let order = try await shopper.redeemed(codes[0])
      try await subscriber.pass(to: try #require("02-10".midnight) - 3600)
      let outcome = try await shopper.redeem(codes[1])
      #expect(outcome == .failure(.notEligible))
      let end = try await shopper.renew(order, at: 299)
      #expect(end == .ordinary)
      try await shopper.requireCancelled(order.id)
    }
  }

  @Test("SUB-24: after a refund of the running plan the order is an ordinary purchase at the offer's price")
  func ended() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      try await shopper.store.core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      let page = try await shopper.page(of: order)
      #expect(page.running == nil && !page.isOwnedPlan)
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .paid)
      let paid = try await shopper.order(order.id)
      #expect(paid.price.amount == 299 && paid.duplicateOf == nil)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: cancelling an order leaves the renewal unchanged and releases its code")
  func cancelled() async throws {
    try await open { shopper, subscriber, codes in
      let order = try await shopper.redeemed(codes[0])
      #expect(try await shopper.store.core.payments.cancel(try #require(order.paymentURL?.lastPathComponent)))
      let cancelled = try await shopper.order(order.id)
      #expect(cancelled.state == .cancelled && cancelled.cancelReason == .user)
      let price = try await subscriber.machine().nextPrice
      #expect(price?.minorUnits == 999)
      #expect(try await shopper.redeem(codes[0]).isSuccess)
    }
  }

  @Test("SUB-24: another person's card pays an accepted offer within that person's consent")
  func anotherPersonsCard() async throws {
    try await open(isOwners: false) { shopper, subscriber, codes in
      let outcome = try await shopper.renew(try await shopper.redeemed(codes[0]), at: 299)
      #expect(outcome == .renewed)
      let consent = try #require(try await subscriber.consents().last)
      #expect(consent.giver == .payer && consent.way == .lower && consent.offerPrice?.minorUnits == 299)
      try await subscriber.pass(to: try #require("05-11".midnight))
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [299, 999])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: an offer above another person's consent is accepted with a method of the account's own only")
  func aboveConsent() async throws {
    try await open(isOwners: false) { shopper, subscriber, codes in
      let core = shopper.store.core
      var products = core.catalogue.catalogue(of: TestShop.app.id).products
      let index = try #require(products.firstIndex { $0.id == "basic" })
      products[index].subscription?.offers[0].prices[.netherlands] = Money(minorUnits: 1999, currency: .eur)
      try await core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
      let outcome = try await shopper.redeem(codes[0])
      #expect(outcome == .failure(.notEligible))
      #expect(try await subscriber.setMethod(try await shopper.store.save(.callbackTwice, of: shopper.accountID)))
      #expect(try await shopper.redeem(codes[0]).isSuccess)
    }
  }

  @Test("SUB-24: late money for the order of an offer is refunded if its plan was bought meanwhile")
  func lateMoney() async throws {
    try await open { shopper, subscriber, codes in
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(to: try #require("02-11".midnight))
      let order = try await shopper.redeemed(codes[0])
      let pending = try await shopper.pay(order, with: .settlesLater)
      #expect(pending == .pending)
      let bought = try await shopper.take("basic")
      #expect(bought.state == .paid)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      try await shopper.requireCancelled(order.id)
      let amounts = try await shopper.store.core.refunds.refunds(of: order.id.uuid).map(\.amount.minorUnits)
      #expect(amounts == [299])
      #expect(try await shopper.redeem(codes[0], as: try await shopper.store.account()).isSuccess)
    }
  }

  @Test("SUB-24: a renewal with an accepted offer can be paid on its page")
  func paidByHand() async throws {
    try await open { shopper, subscriber, codes in
      let outcome = try await shopper.renew(try await shopper.redeemed(codes[0]), at: 299)
      #expect(outcome == .renewed)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let renewal = try #require(try await subscriber.renewals().last)
      let token = shopper.store.core.payments.tokens.token(orderID: renewal.id)
      let paid = try await shopper.store.core.payments.pay(
        token, with: .offered(SandboxCard.succeeds.rawValue, save: true, keep: true), shownPrice: renewal.price)
      #expect(paid == .paid)
      let period = try #require(try await subscriber.machine().period)
      #expect(period.price.minorUnits == 299 && period.end == "05-10".midnight)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-24: an order is cancelled if the catalogue has other terms of its offer than its page",
    arguments: TermsChange.allCases)
  func withdrawnOffer(change: TermsChange) async throws {
    try await open { shopper, subscriber, codes in
      let core = shopper.store.core
      let order = try await shopper.redeemed(codes[0])
      var products = core.catalogue.catalogue(of: TestShop.app.id).products
      let index = try #require(products.firstIndex { $0.id == "basic" })
      let price = Money(minorUnits: 399, currency: .eur)
      switch change {
      case .offerPrice: products[index].subscription?.offers[0].prices[.netherlands] = price
      case .regularPrice: products[index].prices[.netherlands] = price
      case .noOffer: products[index].subscription?.offers = []
      }
      try await core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
      let outcome = try await shopper.renew(order, at: 299)
      #expect(outcome == .ordinary)
      let reason = try await shopper.order(order.id).cancelReason
      #expect(reason == .productUnavailable)
      let accepted = try await subscriber.machine().nextOffer
      #expect(accepted == nil)
    }
  }

  @Test("SUB-24: a declined renewal at the price of an offer is tried again at that price")
  func declined() async throws {
    try await open { shopper, subscriber, codes in
      let outcome = try await shopper.renew(try await shopper.redeemed(codes[0]), at: 299)
      #expect(outcome == .renewed)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      try await shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(to: try #require("02-17".midnight))
      let period = try #require(try await subscriber.machine().period)
      #expect(period.price.minorUnits == 299 && period.end == "05-10".midnight)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: an accepted offer withdraws an announced price, and the price of its page follows it")
  func priced() async throws {
    try await open { shopper, subscriber, codes in
      let outcome = try await subscriber.reprice(to: 949)
      #expect(outcome == .lower)
      try await shopper.store.core.catalogue.replace(try OfferCodeTests.catalogue(), of: TestShop.app.id)
      let order = try await shopper.redeemed(codes[0])
      let renewal = try await shopper.renew(order, at: 299)
      #expect(renewal == .renewed)
      let pending = try await subscriber.machine().pendingPrice
      #expect(pending == nil)
      let second = try await subscriber.reprice(to: 899)
      #expect(second == .later)
      try await subscriber.pass(to: try #require("06-11".midnight))
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(amounts == [299, 999, 899])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }
}

extension Shopper {
  /// Requires that an order was cancelled because its offer cannot be had any more.
  fileprivate func requireCancelled(_ id: OrderID) async throws {
    let order = try await order(id)
    #expect(order.state == .cancelled && order.cancelReason == .offerUsed)
  }
}
