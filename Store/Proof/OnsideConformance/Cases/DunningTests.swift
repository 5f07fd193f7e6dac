import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StorePayments
import StoreTestSupport
import Testing

/// Renewals whose money does not come.
@MainActor
@Suite("Subscriptions: failed payments", .serialized, .timeLimit(.minutes(5)))
struct DunningTests {
  @Test(
    "SUB-2: billing problems of a local store: grace, then retries, and access ends between them",
    .columns(.local, because: "a store over HTTP has cards that are refused"))
  func local() async throws {
    try await TestedSystem.run { system in
      let local = try #require(system.local)
      local.settings.billingGracePeriodEnabled = true
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let end = try #require(subscriber.first.expirationDate)
      local.settings.renewalBillingIssuesEnabled = true
      try await subscriber.pass(to: end + 60)
      try await subscriber.waits(for: .inGracePeriod)
      let inGrace = await subscriber.active()
      #expect(inGrace == [ExampleProducts.monthly])
      try await subscriber.pass(to: end + 20 * 86_400)
      try await subscriber.waits(for: .inBillingRetry)
      try await subscriber.restart()
      let inRetry = await subscriber.active()
      #expect(inRetry.isEmpty)
      local.settings.renewalBillingIssuesEnabled = false
      try await subscriber.pass(to: end + 24 * 86_400)
      try await subscriber.waits(for: .subscribed)
    }
  }

  @Test("SUB-2: a refused card is tried again by itself; money within the grace period keeps the date")
  func triedAgain() async throws {
    try await TestedSystem.run { system in
      system.local?.settings.billingGracePeriodEnabled = true
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let end = try #require(try await subscriber.status().expirationDate)
      // Before the end, and three days later.
      try await subscriber.declineCard(times: 2)
      try await subscriber.pass(to: end + 4 * 86_400)
      try await subscriber.waits(for: .inGracePeriod)
      let active = await subscriber.active()
      #expect(active == [ExampleProducts.monthly])
      try await subscriber.acceptCard()
      try await subscriber.pass(to: end + 7 * 86_400)
      try await subscriber.waits(for: .subscribed)
      let next = Period.oneMonth.adding(to: try #require(subscriber.first.expirationDate), times: 2)
      let expirationDate = try await subscriber.status().expirationDate
      #expect(expirationDate == next)
      let amounts = try await system.amounts()
      #expect(amounts == [399, 399])
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test(
    "SUB-2: after the grace period access ends, and a payment by hand begins a new date",
    .columns(.store, because: "a local store has no pages for an order that waits"))
  func byHand() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let end = try #require(try await subscriber.status().expirationDate)
      try await system.setCards(of: subscriber.user, to: .declined)
      try await subscriber.pass(to: end + 17 * 86_400)
      try await subscriber.waits(for: .inBillingRetry)
      try await subscriber.restart()
      let active = await subscriber.active()
      #expect(active.isEmpty)
      let pages = subscriber.pages
      // A try that the time has begun may still be under way.
      try await NamedDeadline.wait(for: "a page of the subscription with the order to pay", every: .milliseconds(50)) {
        try await system.core.deliverOutbox()
        return try await pages.subscription().html.contains("href=\"/pay/")
      }
      _ = try await pages.pay(try await pages.follow("/pay/", on: try await pages.subscription()))
      try await system.core.deliverOutbox()
      try await subscriber.waits(for: .subscribed)
      let next = try #require(try await subscriber.status().expirationDate)
      #expect(next >= Period.oneMonth.adding(to: end + 17 * 86_400))
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }
}
