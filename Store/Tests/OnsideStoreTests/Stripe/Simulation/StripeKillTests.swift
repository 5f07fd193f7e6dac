import Foundation
import OnsideCommerce
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreSales

/// The store dies at every write of a purchase's life, one after the other.
@Suite(
  "Stripe: a store that dies anywhere", .timeLimit(.minutes(10)), .onSQLite("the engine makes no difference to it"))
struct StripeKillTests {
  private typealias Life = @Sendable (PaidStore, [UUID]) async throws -> Void

  /// The lives at whose end the order is not paid.
  private static let givenUp: Set = [cancelled, tooLate]
  private static let cancelled = "an order that is given up after a payment was begun, and its page that is still open"
  private static let tooLate = "a card that is entered before the order is given up, of which the store hears too late"

  private static let lives: [String: Life] = [
    "two purchases, the second with the remembered card": { world, ids in
      for id in ids {
        try await world.buy(id)
        try await world.tell()
      }
    },
    "a purchase with a second step, given back in parts": { world, ids in
      try await world.buy(ids[0], with: "4000002760003184")
      for part: Int64 in [30, 69] {
        try await world.surely { try await world.refund(ids[0], minorUnits: part) }
        try await world.later(1)
        try await world.tell()
      }
    },
    "a refund in part, and a dispute that is lost": { world, ids in
      try await world.buy(ids[0])
      try await world.surely { try await world.refund(ids[0], minorUnits: 30) }
      try await world.later(1)
      try await world.tell()
      let dispute = try world.stripe.dispute(try #require(world.stripe.payments.first?.id))
      try await world.tell()
      try world.stripe.close(dispute, as: "lost")
      try await world.tell()
    },
    cancelled: { world, ids in
      try await world.surely { try await world.order(ids[0]) }
      try await world.surely { try await world.pay(ids[0], with: .offered("card", save: false)) }
      try await world.later(30)
      try await world.later(4 * 86_400)
      try await world.surely { try await world.enter("4242424242424242", for: ids[0]) }
      try await world.tell()
      try await world.later(60)
    },
    tooLate: { world, ids in
      try await world.surely { try await world.order(ids[0]) }
      try await world.surely { try await world.pay(ids[0], with: .offered("card", save: false)) }
      try await world.later(30)
      try await world.enterCard("4242424242424242", for: ids[0])
      try await world.later(4 * 86_400)
      try await world.tell()
      try await world.later(60)
    },
    "a dispute that is won": { world, ids in
      try await world.buy(ids[0])
      let dispute = try world.stripe.dispute(try #require(world.stripe.payments.first?.id))
      try await world.tell()
      try world.stripe.close(dispute, as: "won")
      try await world.tell()
    },
  ]

  @Test(
    "PAY-6: killed at any write of a charge, a refund or a dispute, no money is lost, doubled or booked wrongly",
    arguments: lives.keys.sorted())
  func anywhere(life: String) async throws {
    let steps = try #require(Self.lives[life])
    var deaths: [MortalDatabase.Death?] = [nil]
    var number = 0
    while number < deaths.count {
      let death = deaths[number]
      let writes = try await Self.run(steps, death: death, end: Self.givenUp.contains(life) ? .cancelled : .paid)
      if death == nil {
        #expect(writes > 5)
        deaths += (1...writes).flatMap { write in
          [false, true].map { MortalDatabase.Death(write: write, isAfterCommit: $0) }
        }
      }
      number += 1
    }
  }

  @Test("PAY-6: killed after a long sleep and started again, the store finds the events whose calls were lost")
  func longSleep() async throws {
    try await PaidStore.run { world in
      let id = UUID()
      try await world.buy(id)
      world.stripe.loseDeliveries()
      world.database.plan(MortalDatabase.Death(write: 1, isAfterCommit: false))
      // After the second sleep Stripe's list of events does not reach back to the purchase.
      for days in [25, 6] { try await world.later(days * 86_400) }
      #expect(world.startCount == 2)
      try await world.settle()
      let faults = try await world.faults([id])
      #expect(faults == [])
    }
  }

  /// Runs a life with a death; returns how many writes there were without one.
  private static func run(
    _ steps: @escaping Life, death: MortalDatabase.Death?, end: OrderState.Stage
  ) async throws -> Int {
    let (counts, count) = AsyncStream.makeStream(of: Int.self)
    try await PaidStore.run { world in
      let ids = [UUID(), UUID()]
      world.database.plan(death)
      do { try await steps(world, ids) } catch { Issue.record(error, "killed \(death?.description ?? "never")") }
      count.yield(world.database.writes)
      try await world.settle()
      #expect(world.startCount == (death == nil ? 1 : 2), "killed \(death?.description ?? "never")")
      let orders = try await world.known(ids)
      let faults = try await world.faults(orders)
      #expect(faults == [], "killed \(death?.description ?? "never")")
      for id in orders {
        let stage = try await world.stage(id)
        #expect(stage == end, "killed \(death?.description ?? "never")")
      }
    }
    count.finish()
    for await writes in counts { return writes }
    return 0
  }
}
