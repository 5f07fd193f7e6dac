import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import ScriptedBrowser
import Testing

/// Offers that present subscribers buy for the time behind the one that they have paid.
@MainActor
@Suite("Subscriptions: offers that are paid ahead", .serialized, .timeLimit(.minutes(5)))
struct PaidAheadTests {
  @Test("SUB-16: an offer for the plan that runs is paid now, once, and follows what is paid; then the regular price")
  func follows() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional, ExampleOffers.code]) { system in
      let (offer, code) = (try await system.promotion(), try await system.makeCode())
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let end = try #require(try await subscriber.status().expirationDate)
      try await system.stopRenewing(ExampleProducts.monthly, of: subscriber.user)

      let ahead = try await subscriber.buyAhead(offer)
      #expect(ahead.expirationDate == Period.oneMonth.adding(to: end))
      let givenBack = try await subscriber.givenBack(try #require(subscriber.booked().first { $0.isRenewal }).id)
      #expect(givenBack.isEmpty)
      let status = try await subscriber.status()
      #expect(status.willAutoRenew && status.expirationDate == ahead.expirationDate)

      subscriber.user.next(.codeRedemption) { visit in
        let page = try await visit.entered(code)
        #expect(page.text.contains(/This offer is not for (this|your) account/))
        return try await visit.goBack(from: page)
      }
      try await subscriber.device.client.presentCodeRedemption()
      #expect(subscriber.user.count(.codeRedemption) == 1)
      try await subscriber.passPeriods(1)
      let amounts = try await system.amounts()
      #expect(amounts == [149, 399, 399])
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-16: refunded, what was paid ahead is gone, what runs stays to its end, and the renewal is off")
  func refunded() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let offer = try await system.promotion()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let end = try #require(try await subscriber.status().expirationDate)
      let ahead = try await subscriber.buyAhead(offer)
      try await system.refund(ahead)
      try await subscriber.device.app.until { $0.revocations.contains { $0.id == ahead.id } }
      let status = try await subscriber.status()
      #expect(status.state == .subscribed && status.expirationDate == end && !status.willAutoRenew)
      try await subscriber.restart()
      let active = await subscriber.active()
      #expect(active == [ExampleProducts.monthly])
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-16: when what runs is refunded, what was paid ahead ends with it, and its price goes back")
  func runningRefunded() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let offer = try await system.promotion()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let running = try await subscriber.renewal(after: 0)
      let ahead = try await subscriber.buyAhead(offer)
      try await system.refund(running)
      try await system.deliverOutbox()
      // In column P the other store may be delivering a row.
      try await system.outboxEmpties()
      try await subscriber.device.app.until { $0.revocations.contains { $0.id == running.id } }
      let givenBack = try await subscriber.givenBack(ahead.id)
      #expect(givenBack == [149])
      let ended = try #require(try await subscriber.booked().first { $0.id == ahead.id }?.expiresAt)
      #expect(ended <= system.now, "it ends before its time has begun")
      try await subscriber.restart()
      let active = await subscriber.active()
      #expect(active.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-16: a higher plan gives back all that is paid ahead, and the rest of what runs")
  func higher() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.promotional]) { system in
      let offer = try await system.promotion()
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let ahead = try await subscriber.buyAhead(offer)
      try await subscriber.device.finish(try await subscriber.device.buy(ExampleProducts.yearly))
      try await system.deliverOutbox()
      // In column P the other store may be delivering a row.
      try await system.outboxEmpties()
      let givenBack = try await subscriber.givenBack(ahead.id)
      #expect(givenBack == [149])
      let running = try #require(try await subscriber.booked().first { $0.isRenewal })
      let back = try await subscriber.givenBack(running.id)
      #expect(back.count == 1 && (1...399).contains(back[0]), "\(back)")
      let productIdentifier = try await subscriber.status().productIdentifier
      #expect(productIdentifier == ExampleProducts.yearly)
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

  /// Buys an offer for the plan that runs; its page says from when on it runs.
  fileprivate func buyAhead(_ offer: OnsidePaymentOffer) async throws -> OnsidePaymentTransaction {
    let isLocal = !system.isOverHTTP
    user.next(.payment) { visit in
      let page = try await visit.open()
      #expect(isLocal || page.text.contains("It follows the time that you have paid already"))
      return try visit.leave(try await visit.paid(with: "succeeds", on: page))
    }
    let bought = try await device.buy(offer, token: Self.name)
    try await device.finish(bought)
    return bought
  }
}
