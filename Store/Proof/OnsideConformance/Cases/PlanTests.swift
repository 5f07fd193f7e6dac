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
      let active = await subscriber.active()
      #expect(active == [ExampleProducts.yearly])
    }
  }

  @Test("SUB-5: the unused part goes back by the second, once; refused money changes nothing")
  func unused() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      try await system.letTimePass(seconds: 10 * 86_400)
      let before = try #require(try await subscriber.booked().last)
      subscriber.user.next(.payment) { visit in
        _ = try await visit.paid(with: "declined", on: try await visit.open())
        return try await visit.cancel()
      }
      try await subscriber.device.add(ExampleProducts.yearly)
      _ = try await subscriber.device.app.first(.failed)
      let productIdentifier = try await subscriber.status().productIdentifier
      #expect(productIdentifier == ExampleProducts.monthly)
      let givenBack = try await subscriber.givenBack(before.id)
      #expect(givenBack.isEmpty)

      let change = try await subscriber.device.buy(ExampleProducts.yearly)
      try await system.deliverOutbox()
      let bought = try await system.booked(change, of: subscriber.user)
      #expect(bought.price == Money(minorUnits: 3199, currency: .eur), "the introductory offer was used by the trial")
      #expect(bought.reason == .planChange)
      let (start, end) = (try #require(subscriber.first.expirationDate), try #require(before.expiresAt))
      let paid = try #require(change.purchaseDate)
      let unused = Int64(end.timeIntervalSince(paid)) * 399 / Int64(end.timeIntervalSince(start))
      let back = try await subscriber.givenBack(before.id)
      #expect(back.count == 1 && (unused - 1...unused).contains(back[0]), "\(back), expected \(unused)")
      let ended = try #require(try await subscriber.booked().first { $0.id == before.id })
      #expect(ended.isPaid && !ended.isRevoked && ended.expiresAt.map { abs($0.timeIntervalSince(paid)) < 1 } == true)
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-6: a lower plan is chosen at its price, starts with the next renewal, and is taken back")
  func lower() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(
        to: ExampleProducts.yearly, in: system, isLoggedIn: true)
      try await subscriber.device.add(ExampleProducts.monthly)
      try await subscriber.device.app.until { $0.completions.last?.hasPrefix(ExampleProducts.monthly) == true }
      let productIdentifier = try await subscriber.status().productIdentifier
      #expect(productIdentifier == ExampleProducts.yearly)
      try await subscriber.choose(ExampleProducts.monthly)
      let nextProductIdentifier = try await subscriber.status().nextProductIdentifier
      #expect(nextProductIdentifier == ExampleProducts.monthly)
      try await subscriber.choose(ExampleProducts.yearly)
      let secondNextProductIdentifier = try await subscriber.status().nextProductIdentifier
      #expect(secondNextProductIdentifier == ExampleProducts.yearly)
      try await subscriber.choose(ExampleProducts.monthly)
      try await subscriber.passPeriods(1)
      let status = try await subscriber.status()
      #expect(status.productIdentifier == ExampleProducts.monthly)
      let order = try #require(try await subscriber.booked().last)
      #expect(order.price == Money(minorUnits: 399, currency: .eur) && order.isRenewal)
      let end = try #require(subscriber.first.expirationDate.map { Period.oneMonth.adding(to: $0) })
      #expect(order.expiresAt.map { abs($0.timeIntervalSince(end)) < 1 } == true, "it follows the first period")
    }
  }

  @Test("SUB-7: a pause costs nothing, gives nothing, and ends by hand with a charge and a new date")
  func pause() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let end = try #require(try await subscriber.status().expirationDate)
      let sales = try await system.sales().count
      try await subscriber.pause(months: 2)
      try await subscriber.pass(to: end + 86_400)
      try await subscriber.waits(for: .paused)
      let pausedUntil = try await subscriber.status().pausedUntil
      #expect(pausedUntil == Period.oneMonth.adding(to: end, times: 2))
      try await subscriber.restart()
      let active = await subscriber.active()
      #expect(active.isEmpty)
      let inPause = try await system.sales().count
      #expect(inPause == sales)
      let before = system.now
      try await subscriber.resume()
      try await subscriber.waits(for: .subscribed)
      let saleCount = try await system.sales().count
      #expect(saleCount == sales + 1)
      let next = try #require(try await subscriber.status().expirationDate)
      #expect(next > Period.oneMonth.adding(to: before - 1))
    }
  }

  @Test("SUB-7: a pause ends by itself with a charge")
  func pauseEnds() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      try await subscriber.pause(months: 1)
      try await subscriber.pass(to: try #require(try await subscriber.status().expirationDate) + 60)
      try await subscriber.waits(for: .paused)
      let sales = try await system.sales().count
      let until = try #require(try await subscriber.status().pausedUntil)
      try await subscriber.pass(to: until + 60)
      try await subscriber.waits(for: .subscribed)
      let afterwards = try await system.sales().count
      #expect(afterwards == sales + 1)
      let next = try #require(try await subscriber.status().expirationDate)
      #expect(next >= Period.oneMonth.adding(to: until))
    }
  }

  @Test("SUB-8: a large rise is charged to those only who agree to it; without an answer the subscription ends")
  func price() async throws {
    try await TestedSystem.run { system in
      let agreeing = try await TestedSubscriber.subscribe(
        to: ExampleProducts.monthly, in: system, isLoggedIn: true)
      let silent = try await TestedSubscriber.subscribe(
        to: ExampleProducts.monthly, in: system, phone: "+31612345679")
      try await agreeing.passPeriods(1)
      try await silent.renewed(after: silent.first.expirationDate)
      let raiseMonthlyPrice = try await system.raiseMonthlyPrice(to: 1499, for: [agreeing, silent])
      #expect(raiseMonthlyPrice == 2, "both are asked")
      try await agreeing.agree()
      let end = try #require(try await agreeing.status().expirationDate)
      try await agreeing.pass(to: end + 3600, with: [silent])
      try await agreeing.renewed(after: end)
      try await silent.waits(for: .expired)
      let actualPrice = try await agreeing.booked().last?.price
      #expect(actualPrice == Money(minorUnits: 1499, currency: .eur))
      let bookedCount = try await silent.booked().count
      #expect(bookedCount == 2, "nothing was asked for")
      let faults = try await agreeing.faults()
      #expect(faults.isEmpty)
    }
  }
}
