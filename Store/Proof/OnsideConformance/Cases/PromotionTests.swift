import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import Testing

/// Offers that the app's server gives to one of its users.
@MainActor
@Suite("Subscriptions: promotional offers", .serialized, .timeLimit(.minutes(5)))
struct PromotionTests {
  private static let user = "user-4711"

  @Test(
    "SUB-12, QUE-29: a local store needs no signature, and gives the offer to those only who have subscribed",
    .columns(.local, because: "a store over HTTP asks for a signature"))
  func local() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let device = try await system.signedInDevice(of: system.user())
      await #expect(throws: OnsideFailure.notAvailable) { try await device.buy(ExampleOffers.promotional) }
      let subscriber = try await TestedSubscriber.subscribe(
        to: ExampleProducts.monthly, in: system, phone: "+31612345679")
      try await subscriber.lapse()
      _ = try await subscriber.device.buy(ExampleOffers.promotional)
      let amounts = try await system.amounts()
      #expect(amounts == [149, 399])
    }
  }

  @Test(
    "SUB-12, QUE-29: the offer needs a signature of the app's server for this user, which is good for one order",
    .columns(.store, because: "a local store asks for no signature"))
  func signed() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let signer = try await system.makeOfferSigner()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.lapse()
      let device = subscriber.device
      let right = try signer.offer(for: Self.user)
      for wrong in [
        OnsidePaymentOffer(offerIdentifier: right.offerIdentifier), try signer.offer(for: "user-4712"),
        try OfferSigner().offer(for: Self.user), try signer.offer("another", for: Self.user),
      ] {
        let offer = OnsidePaymentOffer(offerIdentifier: right.offerIdentifier, signature: wrong.signature)
        await #expect(throws: OnsideFailure.notAvailable) { try await device.buy(offer, token: Self.user) }
      }
      subscriber.user.next(.payment) { try await $0.cancel() }
      let product = try await device.product(ExampleProducts.monthly)
      let purchase = try await device.queue.purchase(product, appAccountToken: Self.user, offer: right)
      #expect(purchase == .cancelled)
      await #expect(throws: OnsideFailure.notAvailable) { try await device.buy(right, token: Self.user) }
      _ = try await device.buy(try signer.offer(for: Self.user), token: Self.user)
      let amounts = try await system.amounts()
      #expect(amounts == [149, 399])
    }
  }

  @Test(
    "SUB-12: who never subscribed is refused, whatever is signed",
    .columns(.store, because: "a local store asks for no signature"))
  func stranger() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let signer = try await system.makeOfferSigner()
      let device = try await system.signedInDevice(of: system.user())
      let offer = try signer.offer(for: Self.user)
      await #expect(throws: OnsideFailure.notAvailable) { try await device.buy(offer, token: Self.user) }
      let sales = try await system.sales()
      #expect(sales.isEmpty)
    }
  }
}
