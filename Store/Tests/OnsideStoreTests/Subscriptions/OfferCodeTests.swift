import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Codes of offers: made, redeemed as often as allowed, and given back.
@Suite("Offer codes", .timeLimit(.minutes(5)))
struct OfferCodeTests {
  static let offer = "spring"

  /// The plans, `basic` with an offer of codes: three months for € 2,99.
  static func catalogue(for customers: [OfferCustomer]? = nil) throws -> Catalogue {
    let nl = try TestShop.country("NL")
    return try Catalogue(
      products: try PlanShop.catalogue().products.map { product in
        var product = product
        if product.id == "basic" {
          product.subscription?.offers = [
            Offer(
              id: offer, kind: .code, mode: .payUpFront, period: .oneMonth, periodCount: 3,
              prices: [nl: Money(minorUnits: 299, currency: .eur)], customers: customers)
          ]
        }
        return product
      })
  }

  private func open(
    for customers: [OfferCustomer]? = nil, _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    try await PlanShop.open { shopper in
      try await shopper.store.core.catalogue.replace(try Self.catalogue(for: customers), of: TestShop.app.id)
      try await body(shopper)
    }
  }

  private func codes(_ shopper: Shopper, count: Int = 1, expires: Date? = nil) async throws -> [OfferCode] {
    try await shopper.store.core.offerCodes.create(
      count, product: "basic", offer: Self.offer, of: TestShop.app.id, expiresAt: expires
    ).codes
  }

  private func custom(_ shopper: Shopper, limit: Int64) async throws -> OfferCode {
    try await shopper.store.core.offerCodes.createCustom(
      "spring-26", limit: limit, product: "basic", offer: Self.offer, of: TestShop.app.id, expiresAt: nil)
  }

  @Test("SUB-11: one-time codes have almost 59 bits, no letters that look alike, and are listed with their use")
  func made() async throws {
    try await open { shopper in
      let codes = try await codes(shopper, count: 501)
      #expect(Set(codes.map(\.text)).count == 501)
      #expect(codes.allSatisfy { $0.text.count == 12 && $0.text.allSatisfy(OfferCode.alphabet.contains) })
      #expect(codes.allSatisfy { OfferCode.normalized(" \($0.readable.lowercased())") == $0.text })
      #expect(codes.first?.readable.split(separator: "-").map(\.count) == [4, 4, 4])
      _ = try await shopper.redeem(codes[0])
      let listing = try await shopper.store.core.offerCodes.batches(of: TestShop.app.id)
      #expect(listing.map(\.codes) == [501] && listing.map(\.uses) == [1] && listing.map(\.limit) == [501])
    }
  }

  @Test("SUB-11: a code for an active subscription keeps the subscription's token; after its end none is passed on")
  func token() async throws {
    try await open { shopper in
      let code = try await codes(shopper)[0]
      let first = try await shopper.order("basic", token: "user-4711")
      let outcome = try await shopper.agree(to: first)
      #expect(outcome == .paid)
      let subscriber = Subscriber(shopper: shopper, purchase: try await shopper.order(first.id))
      #expect(try await subscriber.setAutoRenew(false))
      let during = try await shopper.redeemed(code)
      #expect(during.appAccountToken == "user-4711")
      _ = try await shopper.post("/v1/orders/\(during.id)/cancel")
      try await subscriber.pass(days: 40)
      let afterwards = try await shopper.redeemed(code)
      #expect(afterwards.id != during.id && afterwards.appAccountToken == nil)
    }
  }

  @Test(
    "SUB-11: a code redeemed again before payment sets a given token on its open order; without one the order keeps it")
  func tokenOfOpenOrder() async throws {
    try await open { shopper in
      let code = try await codes(shopper)[0]
      var made: [OrderMessage] = []
      for token in [nil, "user-1", nil, "user-2"] { made.append(try await shopper.redeemed(code, token: token)) }
      #expect(Set(made.map(\.id)).count == 1)
      #expect(made.map(\.appAccountToken) == [nil, "user-1", "user-1", "user-2"])
      let outcome = try await shopper.agree(to: made[0], with: .settlesLater)
      #expect(outcome == .pending)
      let pending = try await shopper.redeemed(code, token: "user-3")
      #expect(pending.id == made[0].id && pending.appAccountToken == "user-2")
    }
  }

  @Test("SUB-11: a code redeemed again during an active subscription keeps the subscription's token on its open order")
  func tokenOfActiveSubscription() async throws {
    try await open { shopper in
      let code = try await codes(shopper)[0]
      let first = try await shopper.order("small", token: "user-1")
      let outcome = try await shopper.agree(to: first)
      #expect(outcome == .paid)
      var made: [OrderMessage] = []
      for token in [nil, "user-2"] { made.append(try await shopper.redeemed(code, token: token)) }
      #expect(Set(made.map(\.id)).count == 1)
      #expect(made.map(\.appAccountToken) == ["user-1", "user-1"])
    }
  }

  @Test("SUB-11: a code gives its price; it is used once, and an account uses one code of a batch")
  func once() async throws {
    try await open { shopper in
      let codes = try await codes(shopper, count: 2)
      let code = try await shopper.tryOrder(with: Self.offer).problem().code
      #expect(code == .offerNotEligible)
      let order = try await shopper.redeemed(codes[0])
      #expect(order.price.amount == 299 && order.product.offers.map(\.kind) == [.code])
      // The same account comes back to the same order, until that is paid.
      let outcome = try await shopper.redeem(codes[0])
      #expect(outcome == .success(order.id.uuid))
      let secondOutcome = try await shopper.agree(to: order)
      #expect(secondOutcome == .paid)
      let paid = try await shopper.order(order.id)
      #expect(paid.expiresAt == "04-10".midnight)
      let thirdOutcome = try await shopper.redeem(codes[0])
      #expect(thirdOutcome == .failure(.used))
      let fourthOutcome = try await shopper.redeem(codes[1])
      #expect(fourthOutcome == .failure(.used))
      let other = try await shopper.store.account()
      let fifthOutcome = try await shopper.redeem(codes[0], as: other)
      #expect(fifthOutcome == .failure(.usedUp))
      let subscriber = Subscriber(shopper: shopper, purchase: paid)
      try await subscriber.pass(to: try #require("04-11".midnight))
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [999])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-11: an order that is cancelled, or expires, gives the use back")
  func givenBack() async throws {
    try await open { shopper in
      let code = try await custom(shopper, limit: 1)
      let other = try await shopper.store.account()
      let first = try await shopper.redeemed(code)
      let outcome = try await shopper.redeem(code, as: other)
      #expect(outcome == .failure(.usedUp))
      _ = try await shopper.post("/v1/orders/\(first.id)/cancel")
      let state = try await shopper.order(first.id).state
      #expect(state == .cancelled)
      let second = try await shopper.redeem(code, as: other)
      let secondOutcome = try await shopper.redeem(code)
      #expect(secondOutcome == .failure(.usedUp))
      shopper.store.advance(by: .seconds(shopper.store.core.dependencies.configuration.orderLifetime + 1))
      _ = try await shopper.store.core.orders.expireOpenOrders()
      let third = try await shopper.redeemed(code)
      #expect(second != .success(third.id.uuid))
      // Money for an order that was given up goes back, and takes no use.
      let thirdOutcome = try await shopper.pay(third, with: .settlesLater)
      #expect(thirdOutcome == .pending)
      try await shopper.store.settle()
      let secondState = try await shopper.order(third.id).state
      #expect(secondState == .paid)
      let fourthOutcome = try await shopper.redeem(code, as: other)
      #expect(fourthOutcome == .failure(.usedUp))
    }
  }

  @Test("SUB-11: a code is for new, present or past subscribers, as its offer says")
  func customers() async throws {
    for (customers, isForNew, isForPast) in [
      ([OfferCustomer.new], true, false), ([.expired], false, true), ([.active], false, false),
    ] {
      try await open(for: customers) { shopper in
        let code = try await custom(shopper, limit: 100)
        let isSuccess = try await shopper.redeem(code).isSuccess
        #expect(isSuccess == isForNew)
        let subscriber = try await shopper.subscribe(to: "small")
        let outcome = try await shopper.redeem(code)
        #expect(outcome == .failure(.notEligible) || customers == [.active])
        // A higher plan starts at once, also for present subscribers.
        let secondIsSuccess = try await shopper.redeem(code).isSuccess
        #expect(secondIsSuccess == (customers == [.active]))
        #expect(try await subscriber.setAutoRenew(false))
        try await subscriber.pass(days: 40)
        let fresh = try await shopper.store.core.offerCodes.createCustom(
          "again", limit: 1, product: "basic", offer: Self.offer, of: TestShop.app.id, expiresAt: nil)
        let thirdIsSuccess = try await shopper.redeem(fresh).isSuccess
        #expect(thirdIsSuccess == isForPast)
      }
    }
  }

  @Test("SUB-11: a code whose time is over, or that the operator ended, is taken no more")
  func over() async throws {
    try await open { shopper in
      let service = shopper.store.core.offerCodes
      let end = shopper.store.clock.now() + 86_400
      let code = try #require(try await codes(shopper, expires: end).first)
      let named = try await custom(shopper, limit: 5)
      let order = try await shopper.redeemed(named)
      #expect(try await service.disable(named.batchID, of: TestShop.app.id))
      #expect(try await !service.disable(named.batchID, of: TestShop.app.id))
      let other = try await shopper.store.account()
      let outcome = try await shopper.redeem(named, as: other)
      #expect(outcome == .failure(.over))
      let secondOutcome = try await shopper.agree(to: order)
      #expect(secondOutcome == .paid)
      #expect(try await shopper.redeem(code, as: other).isSuccess)
      shopper.store.advance(by: .seconds(86_400))
      let third = try await shopper.store.account()
      let thirdOutcome = try await shopper.redeem(code, as: third)
      #expect(thirdOutcome == .failure(.over))
    }
  }

  @Test("SUB-11: who guesses codes waits for an hour, and then may go on")
  func guesses() async throws {
    try await open { shopper in
      let code = try #require(try await codes(shopper).first)
      for number in 0..<OfferCodeTryRecords.perAccount {
        let outcome = try await shopper.redeem("NOCODE\(number)")
        #expect(outcome == .failure(.unknown))
      }
      let secondOutcome = try await shopper.redeem(code)
      #expect(secondOutcome == .failure(.wait(seconds: 3600)))
      #expect(try await shopper.redeem(code.text, as: try await shopper.store.account()).isSuccess)
      shopper.store.advance(by: .seconds(3601))
      let thirdOutcome = try await shopper.redeem(code)
      #expect(thirdOutcome == .failure(.usedUp))
    }
  }

  @Test("SUB-11: a network that guesses holds up its accounts that have guessed, and no other one")
  func neighbours() async throws {
    try await open { shopper in
      let code = try #require(try await codes(shopper).first)
      let (guesser, neighbour) = (try await shopper.store.account(), try await shopper.store.account())
      let outcome = try await shopper.redeem("NOCODE", as: guesser)
      #expect(outcome == .failure(.unknown))
      for _ in 0..<OfferCodeTryRecords.perNetwork / OfferCodeTryRecords.perAccount {
        let account = try await shopper.store.account()
        for _ in 0..<OfferCodeTryRecords.perAccount { _ = try await shopper.redeem("NOCODE", as: account) }
      }
      let secondOutcome = try await shopper.redeem(code.text, as: guesser)
      #expect(secondOutcome == .failure(.wait(seconds: 3600)))
      let thirdOutcome = try await shopper.redeem("NOCODE", as: neighbour)
      #expect(thirdOutcome == .failure(.unknown))
      let fourthOutcome = try await shopper.redeem(code.text, as: neighbour)
      #expect(fourthOutcome == .failure(.wait(seconds: 3600)))
      #expect(try await shopper.redeem(code.text, as: try await shopper.store.account()).isSuccess)
    }
  }

  @Test("SUB-11: who is removed while the payment runs gives the use of a code back, once; the money goes back, too")
  func removedAccount() async throws {
    try await open { shopper in
      let (code, store) = (try await codes(shopper)[0], shopper.store)
      let order = try await shopper.redeemed(code)
      let outcome = try await shopper.agree(to: order, with: .settlesLater)
      #expect(outcome == .pending)
      #expect(try await store.removeAccount(shopper.accountID))
      let uses = try await store.core.offerCodes.batches(of: TestShop.app.id).map(\.uses)
      #expect(uses == [0])
      #expect(try await shopper.redeem(code, as: try await store.account()).isSuccess)
      try await store.settle()
      let secondUses = try await store.core.offerCodes.batches(of: TestShop.app.id).map(\.uses)
      #expect(secondUses == [1])
      #expect(try await store.hasGivenBack(order.id))
    }
  }

  @Test("SUB-11: wrong codes are in the export of their account alone, and are forgotten when they count no more")
  func forgottenTries() async throws {
    try await open { shopper in
      let (store, other) = (shopper.store, try await shopper.store.account())
      for account in [shopper.accountID, other, other] { _ = try await shopper.redeem("NOCODE", as: account) }
      func tries(of account: String) async throws -> Int? {
        let document = try await store.core.accountExport.document(of: try #require(AccountID(account)))
        let rows = try JSONSerialization.jsonObject(with: document) as? [String: Any]
        return (rows?["offer_code_tries"] as? [Any])?.count
      }
      func rows() async throws -> Int {
        try await store.core.dependencies.database.read { try $0.rows("SELECT id FROM offer_code_tries", []).count }
      }
      let actualTries = try await tries(of: shopper.accountID)
      #expect(actualTries == 1)
      let secondTries = try await tries(of: other)
      #expect(secondTries == 2)
      #expect(try await store.removeAccount(other))
      let actualRows = try await rows()
      #expect(actualRows == 4, "those of the networks stay")
      store.advance(by: .seconds(3599))
      try await store.core.offerCodes.clearTries()
      let secondRows = try await rows()
      #expect(secondRows == 4)
      store.advance(by: .seconds(2))
      try await store.core.offerCodes.clearTries()
      let thirdRows = try await rows()
      #expect(thirdRows == 0)
    }
  }
}

extension TestStore {
  /// Redeems what an account has typed.
  func redeem(
    _ text: String, for account: String, token: String? = nil, network: String = "127.0.0"
  ) async throws -> Result<UUID, OfferCodeRefusal> {
    try await OfferCodeRedemption(orders: core.orders).redeem(
      text, as: freshID(), for: account, appAccountToken: token, network: network, language: "en")
  }
}

extension Shopper {
  func redeem(
    _ code: OfferCode, as account: String? = nil
  ) async throws -> Result<UUID, OfferCodeRefusal> {
    try await redeem(code.readable, as: account)
  }

  fileprivate func redeem(
    _ text: String, as account: String? = nil
  ) async throws -> Result<UUID, OfferCodeRefusal> {
    try await store.redeem(text, for: account ?? accountID)
  }

  /// The order that a code leads to.
  func redeemed(_ code: OfferCode, token: String? = nil) async throws -> OrderMessage {
    try await order(OrderID(try await store.redeem(code.readable, for: accountID, token: token).get()))
  }
}

extension Result {
  var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}
