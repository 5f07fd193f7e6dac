import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import Testing

/// Changes of plan.
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
}
