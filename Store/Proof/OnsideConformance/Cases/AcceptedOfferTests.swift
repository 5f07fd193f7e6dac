import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import ScriptedBrowser
import Testing

/// Offers that present subscribers accept for the next renewal of their plan.
@MainActor
@Suite("Subscriptions: accepted offers", .serialized, .timeLimit(.minutes(5)))
struct AcceptedOfferTests {
  @Test("SUB-24: an accepted offer charges nothing, the next renewal has its price, once, and then the regular one")
  func accepted() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional, ExampleOffers.code]) { system in
      let (offer, code) = (try await system.promotion(), try await system.makeCode())
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let before = try await subscriber.status()
      try await system.stopRenewing(ExampleProducts.monthly, of: subscriber.user)

      try await subscriber.accept(offer)
      let status = try await subscriber.status()
      #expect(status.willAutoRenew && status.expirationDate == before.expirationDate)
      #expect(status.nextPrice?.value == 1.49)
      let amounts = try await system.amounts()
      #expect(amounts == [399])

      subscriber.user.next(.codeRedemption) { visit in
        let page = try await visit.entered(code)
        #expect(page.text.contains(/This offer is not for (this|your) account/))
        return try await visit.goBack(from: page)
      }
      try await subscriber.device.client.presentCodeRedemption()
      #expect(subscriber.user.count(.codeRedemption) == 1)
      try await subscriber.passPeriods(2)
      let later = try await system.amounts()
      #expect(later == [149, 399, 399])
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-24: a cancelled order leaves the renewal at its price, and the code can be redeemed again")
  func cancelled() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.code]) { system in
      let code = try await system.makeCode()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      subscriber.user.next(.codeRedemption) { try await $0.cancel(on: try await $0.taken(code)) }
      try await subscriber.device.client.presentCodeRedemption()
      let price = try await subscriber.status().nextPrice
      #expect(price?.value == 3.99)
      subscriber.user.next(.codeRedemption) { try await $0.renewPlan(on: try await $0.taken(code)) }
      try await subscriber.device.client.presentCodeRedemption()
      let accepted = try await subscriber.status().nextPrice
      #expect(accepted?.value == 0.99)
    }
  }

  @Test("SUB-24: a higher plan drops an accepted offer")
  func higher() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let offer = try await system.promotion()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      try await subscriber.accept(offer)
      try await subscriber.device.finish(try await subscriber.device.buy(ExampleProducts.yearly))
      let status = try await subscriber.status()
      #expect(status.productIdentifier == ExampleProducts.yearly && status.nextPrice?.value != 1.49)
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }
}

extension TestedSystem {
  /// The promotional offer as the app's server gives it to ``TestedSubscriber/name``; a local store needs no signature.
  fileprivate func promotion() async throws -> OnsidePaymentOffer {
    guard isOverHTTP else { return OnsidePaymentOffer(offerIdentifier: ExampleOffers.promotional.id) }
    return try await makeOfferSigner().offer(for: TestedSubscriber.name)
  }
}

extension TestedSubscriber {
  /// What the app's server calls the user.
  fileprivate static let name = "user-4711"

  /// Accepts an offer of the running plan; the call returns the running transaction, which is not charged again.
  fileprivate func accept(_ offer: OnsidePaymentOffer) async throws {
    user.next(.payment) { try await $0.renewPlan() }
    let running = try await device.buy(offer, token: Self.name)
    try await device.finish(running)
  }
}
