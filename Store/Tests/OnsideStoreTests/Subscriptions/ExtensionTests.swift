import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Paid periods whose end the operator moves.
@Suite("Extended periods", .timeLimit(.minutes(5)))
struct ExtensionTests {
  @Test("SUB-22: an extended period ends later in its order and the signed history, and renews from its new end on")
  func days() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      let cursor = try await shopper.sync().cursor
      let end = try await core.subscriptions.extend(subscriber.key, by: .days(7))
      #expect(end == "02-17".midnight)
      let order = try #require(try await shopper.sync(cursor).orders.first)
      #expect(order.id == subscriber.purchase.id && order.expiresAt == end)
      let history = try TransactionHistory.decoded(fromPayloadOf: await shopper.history()).transactions
      #expect(history.map(\.expiresAt) == [end])
      try await subscriber.pass(to: try #require(end) - 3601)
      let early = try await subscriber.renewals()
      #expect(early.isEmpty)
      try await subscriber.pass(days: 27)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.price.minorUnits) == [999] && renewals.map(\.expiresAt) == ["03-17".midnight])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-22: a free trial is extended to a day; with its renewal off, the period is extended and does not renew")
  func trial() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "small")
      #expect(try await subscriber.setAutoRenew(false))
      let day = try #require("02-01".midnight)
      let end = try await shopper.store.core.subscriptions.extend(subscriber.key, by: .until(day))
      #expect(end == day)
      try await subscriber.pass(to: day - 1)
      let restorable = try await shopper.restorable()
      #expect(restorable.map(\.expiresAt) == [day])
      try await subscriber.pass(to: day)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.cancelled))
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
    }
  }

  @Test("SUB-22: what goes back of an extended period for a higher plan is the unused part of its whole length")
  func upgraded() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      _ = try await shopper.store.core.subscriptions.extend(subscriber.key, by: .days(31))
      try await subscriber.pass(days: 31)
      try await shopper.take("pro")
      let back = try await shopper.givenBack(subscriber.purchase.id)
      #expect(back == [499])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-22: the date of a new price moves with the end of the period")
  func price() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1099]), of: TestShop.app.id)
      _ = try await core.subscriptions.reprice("basic", of: TestShop.app.id)
      _ = try await core.subscriptions.extend(subscriber.key, by: .days(7))
      let dates = try await core.dependencies.database.read { [key = subscriber.key] in
        try PriceChangeRecords.changes(of: key, in: $0).map(\.appliesAt)
      }
      #expect(dates == ["02-17".midnight])
    }
  }

  @Test("SUB-22: nothing is extended to an earlier day, while the next period is unpaid or paid, paused or over")
  func rejected() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, service) = (try await shopper.subscribe(to: "basic"), shopper.store.core.subscriptions)
      let end = try #require("02-10".midnight)
      await #expect(throws: ExtensionError.notLater(end)) {
        _ = try await service.extend(subscriber.key, by: .until(end))
      }
      try await subscriber.pass(to: end - 3600)
      await #expect(throws: ExtensionError.beingRenewed) {
        _ = try await service.extend(subscriber.key, by: .days(1))
      }
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 40)
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      await #expect(throws: ExtensionError.beingRenewed) {
        _ = try await service.extend(subscriber.key, by: .days(1))
      }
      #expect(try await subscriber.setAutoRenew(false))
      await #expect(throws: ExtensionError.notRunning) {
        _ = try await service.extend(subscriber.key, by: .days(1))
      }
      let other = SubscriptionKey(account: shopper.accountID, app: TestShop.app.id, group: "other")
      let none = try await service.extend(other, by: .days(1))
      #expect(none == nil)
    }
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.core.subscriptions.pause(months: 1, of: subscriber.key))
      try await subscriber.pass(days: 40)
      await #expect(throws: ExtensionError.notRunning) {
        _ = try await shopper.store.core.subscriptions.extend(subscriber.key, by: .days(1))
      }
    }
  }
}
