import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreSales
import StoreTestSupport
import Testing

/// Offers for those whose subscription is over.
@MainActor
@Suite("Subscriptions: win-back offers", .serialized, .timeLimit(.minutes(5)))
struct WinBackTests {
  private static let offers = [ExampleOffers.winBack, ExampleOffers.lesserWinBack]

  @Test("SUB-10, PRD-12, QUE-29: who has left comes back at the best offer's price, then pays the regular one")
  func back() async throws {
    try await TestedSystem.run(offering: Self.offers) { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      await #expect(throws: OnsideFailure.notAvailable) { try await subscriber.device.buy(ExampleOffers.winBack) }
      try await subscriber.lapse()
      let product = try await subscriber.device.product(ExampleProducts.monthly)
      #expect(product.offers.map(\.offerIdentifier) == Self.offers.map(\.id))
      #expect(product.offers.first?.kind == .winBack)
      #expect(product.offers.first?.terms.price.decimalValue == Decimal(199) / 100)
      let offerIdentifiers = try await subscriber.status().offers.map(\.offerIdentifier)
      #expect(offerIdentifiers == Self.offers.map(\.id))
      let bought = try await subscriber.device.buy(ExampleOffers.winBack)
      try await subscriber.device.finish(bought)
      try await subscriber.waits(for: .subscribed)
      try await subscriber.passPeriods(1)
      let amounts = try await system.amounts()
      #expect(amounts == [199, 399, 399])

      // One of them a year.
      try await subscriber.end()
      let offers = try await subscriber.status().offers
      #expect(offers.isEmpty)
      await #expect(throws: OnsideFailure.notAvailable) { try await subscriber.device.buy(ExampleOffers.winBack) }
    }
  }

  @Test(
    "SUB-10: the subscription's page has the offer with its price; of two orders with it one is paid",
    .columns(.store, because: "a local store has no account page"))
  func page() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.winBack]) { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.lapse()
      let pages = subscriber.pages
      // Until the store has looked at the clock, the page still shows the plan as it was.
      try await NamedDeadline.wait(for: "a page of the subscription with the offer", every: .milliseconds(100)) {
        try await pages.subscription().html.contains("name=\"offer\"")
      }
      let payment = try await pages.press("plan", ExampleProducts.monthly)
      #expect(payment.url.path.hasPrefix("/pay/"))
      #expect(payment.text.contains(/1[.,]99/) && payment.text.contains(/3[.,]99/))
      try await subscriber.device.finish(try await subscriber.device.buy(ExampleOffers.winBack))
      _ = try await pages.pay(payment)
      try await system.core.deliverOutbox()
      let amounts = try await system.amounts()
      #expect(amounts == [199, 399])
      let other = try await subscriber.orders().filter { $0.offerID == ExampleOffers.winBack.id && $0.paidAt == nil }
      #expect(other.map(\.state.stage) == [.cancelled])
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }
}
