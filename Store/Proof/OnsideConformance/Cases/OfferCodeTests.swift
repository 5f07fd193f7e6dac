import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import Testing

/// Codes of offers, redeemed on the screen that the app opens.
@MainActor
@Suite("Subscriptions: codes of offers", .serialized, .timeLimit(.minutes(5)))
struct OfferCodeTests {
  @Test("SUB-11: a code is redeemed on the app's screen, reaches the queue as bought elsewhere, and works once")
  func redeemed() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.code]) { system in
      let (user, code) = (system.user(), try await system.makeCode())
      let device = try await system.signedInDevice(of: user)
      user.next(.codeRedemption) { try await $0.goBack(from: try await $0.entered("WRONG-CODE")) }
      try await device.client.presentCodeRedemption()
      user.next(.codeRedemption) { try await $0.redeem(code) }
      try await device.client.presentCodeRedemption()
      let bought = try await device.app.first(.purchased)
      #expect(bought.deliveryReason == .elsewhere)
      try await device.finish(bought)
      user.next(.codeRedemption) { visit in
        let page = try await visit.entered(code)
        let refusals = ["You have used this code already.", "This offer is not for this account now."]
        #expect(refusals.contains { page.text.contains($0) })
        return try await visit.goBack(from: page)
      }
      try await device.client.presentCodeRedemption()
      #expect(user.count(.codeRedemption) == 3)
      let amounts = try await system.amounts()
      #expect(amounts == [99])
      let end = try #require(bought.expirationDate)
      try await system.passTime(to: end + 60)
      try await device.app.until { SubscriptionTests.renewals(of: bought, in: $0).count == 1 }
      let secondAmounts = try await system.amounts()
      #expect(secondAmounts == [99, 399], "the regular price follows")
    }
  }

  @Test("SUB-11: who cancels at the payment, or without a network sees no screen, has nothing")
  func given() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.code]) { system in
      let (user, code) = (system.user(), try await system.makeCode())
      let device = try await system.signedInDevice(of: user)
      user.next(.codeRedemption) { try await $0.cancel(on: try await $0.taken(code)) }
      try await device.client.presentCodeRedemption()
      system.goOffline()
      await #expect(throws: OnsideFailure.offline) { try await device.client.presentCodeRedemption() }
      system.goOnline()
      let sales = try await system.sales()
      #expect(sales.isEmpty)
      #expect(user.count(.codeRedemption) == 1)
      let cancelled = try await system.booked(of: user).map(\.isCancelled)
      #expect(cancelled == [true])
    }
  }

  @Test(
    "SUB-11: of two who want the last use of a code one gets it, and the other one when it is given back",
    .columns(.store, because: "a local store has no codes, and an offer's name works for every account"))
  func lastUse() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.code]) { system in
      let code = try await system.makeCode(limit: 1)
      let users = [system.user(), system.user("+31612345679")]
      let taken = Observed<[Bool]>([])
      var devices: [TestedDevice] = []
      for user in users {
        devices.append(try await system.signedInDevice(of: user))
        user.next(.codeRedemption) { visit in
          let page = try await visit.taken(code)
          let isOrder = page.url.path.hasPrefix("/pay/")
          taken.change { $0.append(isOrder) }
          // The use is given back only when both have asked for it.
          try await taken.until { $0.count == users.count }
          return isOrder ? try await visit.cancel(on: page) : try await visit.goBack(from: page)
        }
      }
      let (first, second) = (devices[0].client, devices[1].client)
      async let one: Void = first.presentCodeRedemption()
      async let other: Void = second.presentCodeRedemption()
      _ = try await (one, other)
      #expect(taken.value.count(where: \.self) == 1)
      users[1].next(.codeRedemption) { try await $0.redeem(code) }
      try await second.presentCodeRedemption()
      _ = try await devices[1].app.first(.purchased)
      let amounts = try await system.amounts()
      #expect(amounts == [99])
    }
  }

  @Test(
    "SUB-11: who guesses has to wait, and finds the way back into the app",
    .columns(.store, because: "a local store has no codes to guess"))
  func guessing() async throws {
    try await TestedSystem.run(offering: [ExampleOffers.code]) { system in
      let (user, code) = (system.user(), try await system.makeCode())
      let device = try await system.signedInDevice(of: user)
      user.next(.codeRedemption) { visit in
        var page = try await visit.entered("WRONG-CODE")
        for _ in 1..<10 { page = try await visit.enter("WRONG-CODE", on: page) }
        #expect(page.status == 422)
        page = try await visit.enter(code, on: page)
        #expect(page.status == 429 && page.text.contains("Too many wrong codes"))
        return try await visit.goBack(from: page)
      }
      try await device.client.presentCodeRedemption()
      let orders = try await system.orders(of: user)
      #expect(orders.isEmpty)
    }
  }
}
