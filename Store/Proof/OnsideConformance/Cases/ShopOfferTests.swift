import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreSales
import StoreTestSupport
import Testing

/// The extensions of the README's app (SellPlans, WinPeopleBack), unchanged, in a process against a store.
@MainActor
@Suite(
  "The README's app with plans and offers", .serialized,
  .columns(.store, because: "tests of OnsideTestKit run the extensions on a local store"), .timeLimit(.minutes(5)))
struct ShopOfferTests {
  private static let user = "user-4711"
  private static let rejected = "\(OnsideFailure.notAvailable)"

  @Test("DOC-1: a higher plan that is declined, cancelled, offline or tapped twice is paid once, and is active")
  func higherPlan() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let shop = try await ShopDevice.signedIn(system, as: subscriber.user)
      system.goOffline()
      shop.process.send("change \(ExampleProducts.yearly)")
      try await shop.results(are: "connectionError")
      system.goOnline()
      shop.process.send("change \(ExampleProducts.yearly)")
      let payment = try await shop.visit(.payment, page: 1)
      let declined = try await payment.paid(with: "declined", on: try await payment.open())
      _ = try await payment.cancel(on: declined)
      try await shop.results(are: "cancelled", "connectionError")
      let productOfCancelled = try await subscriber.status().productIdentifier
      #expect(productOfCancelled == ExampleProducts.monthly)
      let products = system.network.answered(.call(.products))
      for _ in 1...2 { shop.process.send("change \(ExampleProducts.yearly)") }
      try await system.network.until(.call(.products), answered: products + 2)
      try await shop.pay(page: 2)
      try await shop.results(are: "cancelled", "connectionError", "pending", "purchased")
      let product = try await subscriber.status().productIdentifier
      let amounts = try await system.amounts()
      #expect(product == ExampleProducts.yearly)
      #expect(amounts == [3199])
    }
  }

  @Test("DOC-1: a lower plan leads to the subscription's page, costs nothing there, and begins with the next renewal")
  func lowerPlan() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(
        to: ExampleProducts.yearly, in: system, isLoggedIn: true)
      let shop = try await ShopDevice.signedIn(system, as: subscriber.user)
      let before = try await system.amounts()
      shop.process.send("change \(ExampleProducts.monthly)")
      let page = try await shop.visit(.subscriptions, page: 1)
      let shown = try await page.openLoggedIn()
      #expect(shown.url.path == "/account/subscriptions")
      try await subscriber.choose(ExampleProducts.monthly)
      try await shop.enter(try await page.goBack(from: shown), of: page)
      try await shop.results(are: "nil")
      let status = try await subscriber.status()
      let after = try await system.amounts()
      #expect(status.productIdentifier == ExampleProducts.yearly)
      #expect(status.nextProductIdentifier == ExampleProducts.monthly)
      #expect(after == before)
    }
  }

  @Test("DOC-1: a win-back offer is rejected while the account subscribes, later sold once at its price, then rejected")
  func winBack() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.winBack]) { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let early = try await ShopDevice.signedIn(system, as: subscriber.user)
      early.process.send("win-back \(subscriber.group)")
      try await early.results(are: "nil")
      early.process.send("offer \(ExampleProducts.monthly) \(ExampleOffers.winBack.id)")
      try await early.results(are: Self.rejected, "nil")
      early.process.kill()
      try await subscriber.lapse()
      let shop = try await ShopDevice.signedIn(system, as: subscriber.user)
      shop.process.send("win-back \(subscriber.group)")
      let label = try await shop.process.line("label")
      #expect(label[1] == "Come back for €\u{A0}1,99, then €\u{A0}3,99")
      try await shop.pay(page: 1)
      try await shop.results(are: "purchased")
      shop.process.send("offer \(ExampleProducts.monthly) \(ExampleOffers.winBack.id)")
      try await shop.results(are: Self.rejected, "purchased")
      let amounts = try await system.amounts()
      #expect(amounts == [199, 399])
    }
  }

  @Test("DOC-1: a promotional offer is sold to the user whom the app's server signed it for, and rejected for another")
  func promotion() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let signer = try await system.makeOfferSigner()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.lapse()
      let shop = try await ShopDevice.signedIn(system, as: subscriber.user)
      let command = "offer \(ExampleProducts.monthly) \(ExampleOffers.promotional.id)"
      let signature = try #require(try signer.offer(for: Self.user).signature)
      shop.process.send(command)
      shop.process.send("\(command) user-4712 \(signature)")
      try await shop.results(are: Self.rejected, Self.rejected)
      shop.process.send("\(command) \(Self.user) \(signature)")
      try await shop.pay(page: 1)
      try await shop.results(are: Self.rejected, Self.rejected, "purchased")
      let amounts = try await system.amounts()
      #expect(amounts == [149, 399])
    }
  }

  @Test("DOC-1: a wrong code sells nothing; a redeemed one is delivered to the observer, and is refunded once")
  func code() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.code]) { system in
      let (user, code) = (system.user(), try await system.makeCode())
      let shop = try await ShopDevice.signedIn(system, as: user)
      shop.process.send("code")
      let wrong = try await shop.visit(.codeRedemption, page: 1)
      try await shop.enter(try await wrong.goBack(from: try await wrong.entered("WRONG-CODE")), of: wrong)
      try await shop.results(are: "nil")
      let salesOfWrong = try await system.sales()
      #expect(salesOfWrong.isEmpty)
      shop.process.send("code")
      _ = try await shop.visit(.codeRedemption, page: 2).redeem(code)
      let bought = try await shop.process.line(where: { $0.first == "updated" && $0[2] == "purchased" })
      #expect(bought[3] == "elsewhere")
      try await shop.results(are: "nil", "nil")
      try await system.finished(1, of: user)
      let sale = try #require(try await system.sales().first)
      try await system.core.orders.refund(sale.orderID, because: .refund)
      _ = try await shop.process.line("revoked", bought[1])
      let coins = try await shop.coins()
      #expect(coins == 0)
      #expect(shop.process.revoked == [bought[1]])
    }
  }
}
