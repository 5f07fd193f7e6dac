import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import Testing

/// Changes of plan, pauses and new prices.
@MainActor
@Suite("Subscriptions: plans", .serialized, .timeLimit(.minutes(5)))
struct PlanTests {
  @Test("SUB-5: a higher plan starts when it is paid, and the one before it ends")
  func higher() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      try await system.letTimePass(seconds: 10 * 86_400)
      try await subscriber.device.finish(try await subscriber.device.buy(ExampleProducts.yearly))
      let status = try await subscriber.status()
      #expect(status.state == .subscribed && status.productIdentifier == ExampleProducts.yearly)
      try await subscriber.restart()
      #expect(await subscriber.active() == [ExampleProducts.yearly])
    }
  }

  @Test(
    "SUB-5: the unused part goes back by the second, once; refused money changes nothing",
    .columns(.store, because: "a local store gives no money back"))
  func unused() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      try await system.letTimePass(seconds: 10 * 86_400)
      let before = try #require(try await subscriber.orders().last)
      subscriber.user.next(.payment) { visit in
        _ = try await visit.paid(with: "declined", on: try await visit.open())
        return try await visit.cancel()
      }
      try await subscriber.device.add(ExampleProducts.yearly)
      _ = try await subscriber.device.app.first(.failed)
      #expect(try await subscriber.status().productIdentifier == ExampleProducts.monthly)
      #expect(try await subscriber.givenBack(before.id).isEmpty)

      let change = try await subscriber.device.buy(ExampleProducts.yearly)
      try await system.core.deliverOutbox()
      let bought = try #require(try await subscriber.orders().first { $0.id == change.id })
      #expect(bought.price == Money(minorUnits: 3199, currency: .eur), "the introductory offer was used by the trial")
      #expect(bought.reason == .planChange)
      let (start, end) = (try #require(subscriber.first.expirationDate), try #require(before.expiresAt))
      let paid = try #require(bought.paidAt)
      let unused = Int64(end.timeIntervalSince(paid)) * 399 / Int64(end.timeIntervalSince(start))
      let back = try await subscriber.givenBack(before.id)
      #expect(back.count == 1 && (unused - 1...unused).contains(back[0]), "\(back), expected \(unused)")
      let ended = try #require(try await subscriber.orders().first { $0.id == before.id })
      #expect(ended.state.stage == .paid && ended.state.revocation == nil && ended.expiresAt == paid)
      #expect(try await subscriber.faults().isEmpty)
    }
  }

  @Test(
    "SUB-6: a lower plan is chosen at its price, starts with the next renewal, and is taken back",
    .columns(.store, because: "a local store has no account page"))
  func lower() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.yearly, in: system)
      try await subscriber.device.add(ExampleProducts.monthly)
      try await subscriber.device.app.until { $0.completions.last?.hasPrefix(ExampleProducts.monthly) == true }
      #expect(try await subscriber.status().productIdentifier == ExampleProducts.yearly)
      let pages = subscriber.pages()
      try await pages.press("plan", ExampleProducts.monthly)
      #expect(try await subscriber.status().nextProductIdentifier == ExampleProducts.monthly)
      try await pages.press("plan", ExampleProducts.yearly)
      #expect(try await subscriber.status().nextProductIdentifier == ExampleProducts.yearly)
      try await pages.press("plan", ExampleProducts.monthly)
      try await subscriber.passPeriods(1)
      let status = try await subscriber.status()
      #expect(status.productIdentifier == ExampleProducts.monthly)
      let order = try #require(try await subscriber.orders().last)
      #expect(order.price == Money(minorUnits: 399, currency: .eur) && order.reason == .renewal)
      let end = try #require(subscriber.first.expirationDate.map { Period.oneMonth.adding(to: $0) })
      #expect(order.expiresAt.map { abs($0.timeIntervalSince(end)) < 1 } == true, "it follows the first period")
    }
  }

  @Test(
    "SUB-7: a pause costs nothing, gives nothing, and ends by hand with a charge and a new date",
    .columns(.store, because: "a local store has no account page"))
  func pause() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let end = try #require(try await subscriber.status().expirationDate)
      let pages = subscriber.pages()
      try await pages.press("pause", "2")
      try await subscriber.pass(to: end + 86_400)
      try await subscriber.waits(for: .paused)
      #expect(try await subscriber.status().pausedUntil == Period.oneMonth.adding(to: end, times: 2))
      try await subscriber.restart()
      #expect(await subscriber.active().isEmpty)
      let sales = try await system.sales().count
      let before = system.now
      // Until the store has looked at the clock, the page still has the button that takes the plan back.
      for _ in 0..<50 where try await subscriber.status().state == .paused {
        try await pages.press("pause", "0")
        try await Task.sleep(for: .milliseconds(100))
      }
      try await system.core.deliverOutbox()
      try await subscriber.waits(for: .subscribed)
      #expect(try await system.sales().count == sales + 1)
      let next = try #require(try await subscriber.status().expirationDate)
      #expect(next > Period.oneMonth.adding(to: before - 1))
    }
  }

  @Test(
    "SUB-7: a pause ends by itself with a charge", .columns(.store, because: "a local store has no account page"))
  func pauseEnds() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      try await subscriber.pages().press("pause", "1")
      try await subscriber.pass(to: try #require(try await subscriber.status().expirationDate) + 60)
      try await subscriber.waits(for: .paused)
      let until = try #require(try await subscriber.status().pausedUntil)
      try await subscriber.pass(to: until + 60)
      try await subscriber.waits(for: .subscribed)
      let next = try #require(try await subscriber.status().expirationDate)
      #expect(next >= Period.oneMonth.adding(to: until))
    }
  }

  @Test(
    "SUB-8: a large rise is charged to those only who agree to it; without an answer the subscription ends",
    .columns(.store, because: "a local store does not change prices"))
  func price() async throws {
    try await TestedSystem.run { system in
      let agreeing = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let silent = try await TestedSubscriber.subscribe(
        to: ExampleProducts.monthly, in: system, phone: "+31612345679")
      try await agreeing.passPeriods(1)
      while try await silent.orders().count(where: { $0.state.stage == .paid }) < 2 {
        try await Task.sleep(for: .milliseconds(20))
      }
      try await system.change(ExampleProducts.monthly) {
        $0.prices[.netherlands] = Money(minorUnits: 1499, currency: .eur)
      }
      let report = try await system.operate {
        try await $0.subscriptions.reprice(ExampleProducts.monthly, of: TestedSystem.app)
      }
      #expect(report.counts.map(\.key.outcome) == [.asked] && report.counts.values.first == 2)
      try await agreeing.pages().press("agrees", "1")
      let end = try #require(try await agreeing.status().expirationDate)
      try await agreeing.pass(to: end + 3600, with: [silent])
      while try await agreeing.status().expirationDate == end { try await Task.sleep(for: .milliseconds(20)) }
      try await silent.waits(for: .expired)
      let order = try #require(try await agreeing.orders().last)
      #expect(order.price == Money(minorUnits: 1499, currency: .eur))
      #expect(try await silent.orders().count == 2, "nothing was asked for")
      #expect(try await agreeing.faults().isEmpty)
    }
  }
}
