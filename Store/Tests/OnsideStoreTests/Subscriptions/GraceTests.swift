import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales

/// Grace periods, and the purchases that end them.
@Suite("Grace periods", .timeLimit(.minutes(5)))
struct GraceTests {
  /// A monthly plan at 9.99 from 10 January on, whose renewal was declined on 10 February; 15 days later.
  private func unpaid(_ body: @escaping @Sendable (Shopper, Subscriber) async throws -> Void) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-25".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      try await body(shopper, subscriber)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-2: a trial whose card the provider detaches ends without a grace period")
  func trialWithoutCard() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "small")
      let end = try #require(subscriber.purchase.expiresAt)
      try await shopper.replaceCards(by: nil)
      try await subscriber.pass(to: end)
      let machine = try await subscriber.machine()
      #expect(machine.stage == .retry && machine.graceUntil == nil && machine.autoRenews)
      let restorable = try await shopper.restorable()
      #expect(restorable == [])
    }
  }

  @Test("SUB-2: another plan bought in the grace period pays the due period", arguments: ["pro", "small", "yearly"])
  func otherPlan(id: String) async throws {
    try await unpaid { shopper, subscriber in
      let order = try await shopper.take(id)
      let period = try #require(try await subscriber.machine().period)
      #expect(period.start == "02-10".midnight && period.plan.productID == id)
      #expect(order.expiresAt == (id == "yearly" ? RFC3339.date("2027-02-10T00:00:00Z") : "03-10".midnight))
      #expect(order.reason == .planChange && order.originalOrderID == order.id)
    }
  }

  @Test("SUB-2: the plan bought again in the grace period costs what its renewal costs, then today's price")
  func duePrice() async throws {
    try await unpaid { shopper, subscriber in
      let core = shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1299]), of: TestShop.app.id)
      // The grace period ends at midnight.
      try await subscriber.pass(to: try #require("02-26".midnight) - 60)
      let order = try await shopper.order("basic")
      #expect(order.price.money.minorUnits == 999)
      let higher = try await shopper.order("pro")
      #expect(higher.price.money.minorUnits == 1999)
      try await subscriber.pass(to: try #require("02-26".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .retry)
      let outcome = try await shopper.agree(to: order)
      #expect(outcome == .priceChanged(Money(minorUnits: 1299, currency: .eur)))
    }
  }

  @Test("SUB-2: the price of the due period is paid for it and for the renewals after it")
  func paidDuePrice() async throws {
    try await unpaid { shopper, subscriber in
      let core = shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1299]), of: TestShop.app.id)
      let outcome = try await shopper.agree(to: try await shopper.order("basic"))
      #expect(outcome == .paid)
      let machine = try await subscriber.machine()
      #expect(machine.period?.price.minorUnits == 999 && machine.nextPrice?.minorUnits == 999)
    }
  }

  @Test("SUB-2: the page of a purchase in the grace period says what the due period and its renewals cost")
  func duePricePage() async throws {
    try await unpaid { shopper, subscriber in
      let core = shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 799]), of: TestShop.app.id)
      let order = try await shopper.order("basic")
      let browser = try await Browser(shopper.client).get(try #require(order.paymentURL).path)
      #expect(browser.html.contains("Renews at") && browser.html.contains("9,99"))
      #expect(!browser.html.contains("7,99"))
    }
  }

  @Test("SUB-2: ended in the grace period and bought anew, a plan has no second grace period")
  func secondGrace() async throws {
    try await unpaid { shopper, subscriber in
      #expect(try await subscriber.setAutoRenew(false))
      let again = try await shopper.subscribe(to: "basic")
      #expect(again.purchase.expiresAt == "03-25".midnight && again.purchase.originalOrderID == again.purchase.id)
      try await shopper.replaceCards(by: .declined)
      try await again.pass(to: try #require("03-25".midnight))
      let machine = try await again.machine()
      #expect(machine.stage == .retry && machine.graceUntil == nil)
    }
  }

  @Test("SUB-2: a purchase that is paid after the grace period begins now, in a new series")
  func afterGrace() async throws {
    try await unpaid { shopper, subscriber in
      try await subscriber.pass(to: try #require("03-02".midnight))
      let again = try await shopper.subscribe(to: "basic")
      #expect(again.purchase.expiresAt == "04-02".midnight && again.purchase.originalOrderID == again.purchase.id)
    }
  }
}
