import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Pauses of subscriptions", .timeLimit(.minutes(5)))
struct PauseTests {
  private static func pause(_ subscriber: Subscriber, months: Int) async throws -> Bool {
    let key = subscriber.key
    return try await subscriber.shopper.store.core.subscriptions.pause(
      months: months, of: key)
  }

  private static func resume(_ subscriber: Subscriber, at price: Int64) async throws -> Bool {
    let (key, core) = (subscriber.key, subscriber.shopper.store.core)
    let hasResumed = try await core.subscriptions.resume(
      shownPrice: Money(minorUnits: price, currency: .eur), of: key)
    try await core.deliverOutbox()
    return hasResumed
  }

  @Test("SUB-7: a pause begins with the end of the period, and ends by itself with a charge")
  func byItself() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await !Self.pause(subscriber, months: 4))
      #expect(try await Self.pause(subscriber, months: 2))
      try await subscriber.pass(to: try #require("02-09".midnight))
      let restorableCount = try await shopper.restorable().count
      #expect(restorableCount == 1)
      try await subscriber.pass(to: try #require("04-09".midnight))
      let listed = try await shopper.store.core.dependencies.database.read { try SubscriptionListing.list(1, in: $0) }
      #expect(listed.first?.state == "paused" && listed.first?.pausedUntil == "04-10".midnight)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      try await subscriber.pass(to: try #require("04-10".midnight))
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == ["05-10".midnight])
      let secondRestorableCount = try await shopper.restorable().count
      #expect(secondRestorableCount == 1)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-7: a pause is ended by hand at the price that is shown, and a refused card leaves nothing but tries")
  func byHand() async throws {
    for card in [SandboxCard.succeeds, .declined] {
      try await PlanShop.open { shopper in
        let subscriber = try await shopper.subscribe(to: "basic")
        #expect(try await Self.pause(subscriber, months: 3))
        try await subscriber.pass(to: try #require("03-01".midnight))
        try await shopper.replaceCards(by: card)
        #expect(try await !Self.resume(subscriber, at: 899))
        #expect(try await Self.resume(subscriber, at: 999))
        #expect(try await !Self.resume(subscriber, at: 999), "pressed twice")
        let renewalCount = try await subscriber.renewals().count
        #expect(renewalCount == 1)
        if card == .succeeds {
          let expirations = try await subscriber.renewals().map(\.expiresAt)
          #expect(expirations == ["04-01".midnight])
        } else {
          let stage = try await subscriber.machine().stage
          #expect(stage == .retry)
          let restorable = try await shopper.restorable()
          #expect(restorable.isEmpty)
        }
      }
    }
  }

  @Test("SUB-7: what does not renew or is not paid cannot pause; a planned pause is taken back")
  func refused() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      let key = subscriber.key
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await !Self.pause(subscriber, months: 1))
      #expect(try await subscriber.setAutoRenew(true))
      #expect(try await Self.pause(subscriber, months: 1))
      #expect(try await core.subscriptions.dropPause(of: key))
      #expect(try await !core.subscriptions.dropPause(of: key))
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      #expect(try await !Self.pause(subscriber, months: 1), "refused in the last hour")
      try await subscriber.pass(days: 1)
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      #expect(try await !Self.pause(subscriber, months: 1))
    }
  }

  @Test("SUB-7: a paused subscription is bought again, or ended, without a charge for the pause")
  func left() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await Self.pause(subscriber, months: 3))
      try await subscriber.pass(to: try #require("03-01".midnight))
      let amount = try await shopper.take("small").price.amount
      #expect(amount == 499, "the trial is for new subscribers")
      let stage = try await subscriber.machine().stage
      #expect(stage == .active)
      #expect(try await Self.pause(subscriber, months: 1))
      try await subscriber.pass(to: try #require("04-05".midnight))
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 100)
      let secondStage = try await subscriber.machine().stage
      #expect(secondStage == .expired(.cancelled))
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
    }
  }
}
