import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales

/// Offers that an app's server signs for one of its users.
@Suite("Promotional offers", .timeLimit(.minutes(5)))
struct PromotionalOfferTests {
  private static let user = "user-4711"
  private let key = P256.Signing.PrivateKey()

  private func open(_ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    try await PlanShop.open { [key] shopper in
      let nl = try TestShop.country("NL")
      let products = try PlanShop.catalogue().products.map { product in
        var product = product
        if product.id == "basic" || product.id == "pro" {
          product.subscription?.offers = [
            Offer(
              id: "half", kind: .promotional, mode: .payAsYouGo, period: .oneMonth, periodCount: 2,
              prices: [nl: Money(minorUnits: 500, currency: .eur)])
          ]
        }
        return product
      }
      let core = shopper.store.core
      try await core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
      _ = try await core.offerKeys.add(key.publicKey.pemRepresentation, id: "k1", to: TestShop.app.id)
      try await body(shopper)
    }
  }

  private func claims(at now: Date, nonce: String = "0123456789abcdef") -> OfferSignature.Claims {
    OfferSignature.Claims(
      app: TestShop.app.id, product: "basic", offer: "half", account: Self.user, nonce: nonce,
      iat: Int64(now.timeIntervalSince1970))
  }

  private func sign(
    _ claims: OfferSignature.Claims, kid: String = "k1", algorithm: String = "ES256", by key: P256.Signing.PrivateKey
  ) throws -> String {
    try TestOfferSigner(kid: kid, key: key).sign(claims, algorithm: algorithm)
  }

  private func order(
    _ shopper: Shopper, signature: String?, user: String? = PromotionalOfferTests.user, product: String = "basic",
    key: UUID? = nil
  ) async throws -> (order: OrderMessage?, problem: ProblemDetails?) {
    let request = OrderRequest(
      productID: product, country: try TestShop.country("NL"), appAccountToken: user,
      offer: OrderOffer(id: "half", signature: signature))
    let response = try await shopper.tryOrder(request, key: key ?? shopper.store.freshID())
    guard response.status == .created else { return (nil, try response.problem()) }
    return (try response.message(OrderMessage.self), nil)
  }

  /// Has a subscription that is over.
  private func lapse(_ shopper: Shopper) async throws -> Subscriber {
    let subscriber = try await shopper.subscribe(to: "basic")
    #expect(try await subscriber.setAutoRenew(false))
    try await subscriber.pass(days: 40)
    return subscriber
  }

  @Test("SUB-12: a sandbox's clock that was moved makes no signature old, and forgets no nonce")
  func movedClock() async throws {
    try await open { shopper in
      _ = try await lapse(shopper)
      let signature = try sign(claims(at: shopper.store.clock.now()), by: key)
      try await SandboxClockSetting(shopper.store.core.dependencies.base).advance(by: 31 * 86_400)
      let amount = try await order(shopper, signature: signature).order?.price.amount
      #expect(amount == 500)
      try await SandboxClockSetting(shopper.store.core.dependencies.base).advance(by: 31 * 86_400)
      let detail = try await order(shopper, signature: signature).problem?.detail
      #expect(detail == OfferSignatureFault.used.rawValue)
    }
  }

  @Test("SUB-12: who never subscribed is refused; who has left subscribes at once, at the offer's price (case 83)")
  func lapsed() async throws {
    try await open { shopper in
      let first = try sign(claims(at: shopper.store.clock.now()), by: key)
      let code = try await order(shopper, signature: first).problem?.code
      #expect(code == .offerNotEligible)
      let subscriber = try await lapse(shopper)
      let listed = try await shopper.get("/v1/products?id=basic").message(ProductsMessage.self).products.first
      #expect(listed?.offers.map(\.kind) == [.promotional])
      let signature = try sign(claims(at: shopper.store.clock.now()), by: key)
      let made = try #require(try await order(shopper, signature: signature).order)
      #expect(made.price.amount == 500)
      let outcome = try await shopper.agree(to: made)
      #expect(outcome == .paid)
      try await subscriber.pass(days: 70)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [500, 999])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-24: a promotional offer of the running plan is accepted; one of a higher plan starts at once")
  func active() async throws {
    try await open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let offers = try await shopper.get("/v1/subscriptions").message(SubscriptionsMessage.self).subscriptions[0].offers
      #expect(offers?.map(\.productID) == ["basic", "pro"])
      let same = try sign(claims(at: shopper.store.clock.now(), nonce: "fedcba9876543210"), by: key)
      let next = try #require(try await order(shopper, signature: same).order)
      let outcome = try await shopper.renew(next, at: 500)
      #expect(outcome == .renewed)
      let minorUnits = try await subscriber.machine().nextPrice?.minorUnits
      #expect(minorUnits == 500)
      var higher = claims(at: shopper.store.clock.now())
      higher.product = "pro"
      let made = try #require(
        try await order(shopper, signature: try sign(higher, by: key), product: "pro").order)
      let secondOutcome = try await shopper.agree(to: made)
      #expect(secondOutcome == .paid)
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "pro")
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [999])
      let accepted = try await subscriber.machine().nextOffer
      #expect(accepted == nil)
    }
  }

  @Test("SUB-12: a signature is good once, for one purchase, for a day, and by a key of the app")
  func faults() async throws {
    try await open { shopper in
      _ = try await lapse(shopper)
      let now = shopper.store.clock.now()
      let good = claims(at: now)
      func changed(_ change: (inout OfferSignature.Claims) -> Void) throws -> String {
        var claims = good
        change(&claims)
        return try sign(claims, by: key)
      }
      let cases: [(String?, OfferSignatureFault)] = [
        (nil, .missing), ("a.b.c", .malformed), (try sign(good, algorithm: "none", by: key), .malformed),
        (try changed { $0.nonce = "short" }, .malformed), (try sign(good, kid: "k2", by: key), .unknownKey),
        (try sign(good, by: P256.Signing.PrivateKey()), .notSigned), (try changed { $0.app = "other" }, .otherApp),
        (try changed { $0.product = "pro" }, .otherOffer), (try changed { $0.offer = "third" }, .otherOffer),
        (try changed { $0.account = "user-1" }, .otherAccount), (try changed { $0.iat -= 86_400 }, .old),
        (try changed { $0.iat += 301 }, .early),
      ]
      for (signature, fault) in cases {
        let problem = try await order(shopper, signature: signature).problem
        #expect(problem?.code == .offerSignatureInvalid && problem?.detail == fault.rawValue, "\(fault)")
      }
      let signature = try sign(good, by: key)
      let code = try await order(shopper, signature: signature, user: nil).problem?.code
      #expect(code == .offerSignatureInvalid)
      // None of these has used the nonce.
      let id = shopper.store.freshID()
      let made = try #require(try await order(shopper, signature: signature, key: id).order)
      let actualID = try await order(shopper, signature: signature, key: id).order?.id
      #expect(actualID == made.id)
      let again = try await order(shopper, signature: signature).problem
      #expect(again?.detail == OfferSignatureFault.used.rawValue)
      #expect(try await shopper.store.core.offerKeys.remove("k1", of: TestShop.app.id))
      let other = try changed { $0.nonce = "fedcba9876543210" }
      let detail = try await order(shopper, signature: other).problem?.detail
      #expect(detail == OfferSignatureFault.unknownKey.rawValue)
    }
  }
}
