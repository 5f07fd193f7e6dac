import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreAccounts
import StoreSales
import Testing

@MainActor
@Suite("Subscriptions", .serialized, .timeLimit(.minutes(5)))
struct SubscriptionTests {
  @Test("STO-9, SUB-1: a subscription renews in its time, and the device is told of each period")
  func renews() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let first = try await device.buy(ExampleProducts.monthly)
      try await device.finish(first)
      for count in 1...2 {
        try await system.letTimePass(seconds: 31 * 86_400)
        try await device.app.until { Set(Self.renewals(of: first, in: $0).map(\.id)).count == count }
      }
      #expect(Self.renewals(of: first, in: device.app).allSatisfy { $0.deliveryReason == .renewed })
    }
  }

  @Test(
    "SUB-13: a tester who is moved two months ahead hears of both renewals, and another one of nothing",
    .columns(.store, because: "a local store has a clock of its own"))
  func testersClock() async throws {
    try await TestedSystem.run { system in
      let (user, other) = (system.user(), system.user("+31687654321"))
      let (device, beside) = (try await system.signedInDevice(of: user), try await system.signedInDevice(of: other))
      let first = try await device.buy(ExampleProducts.monthly)
      try await device.finish(first)
      try await beside.finish(try await beside.buy(ExampleProducts.monthly))
      let account = try await system.account(of: user).id
      _ = try await system.operate { try await $0.clock(of: account).advance(by: 62 * 86_400) }
      try await device.app.until { Set(Self.renewals(of: first, in: $0).map(\.id)).count == 2 }
      #expect(Self.renewals(of: first, in: device.app).allSatisfy { $0.deliveryReason == .renewed })
      let active = await device.client.entitlements.map(\.isActive)
      #expect(active == [true])
      let orderCount = try await system.orders(of: other).count
      #expect(orderCount == 1)
    }
  }

  @Test(
    "STO-9, SUB-1: three years: each period is charged once, booked once, and begins where the one before ends",
    .columns(.store, because: "a local store has no books"))
  func threeYears() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(36)
      let orders = try await subscriber.orders()
      #expect(orders.count == 37 && orders.dropFirst().allSatisfy { $0.reason == .renewal && $0.receipt != nil })
      #expect(Set(orders.dropFirst().map(\.originalOrderID)) == [orders.first?.id])
      #expect(orders.dropFirst().allSatisfy { $0.price == Money(minorUnits: 399, currency: .eur) })
      let start = try #require(orders.first?.expiresAt)
      let ends = orders.dropFirst().indices.map { Period.oneMonth.adding(to: start, times: $0) }
      #expect(orders.dropFirst().map(\.expiresAt) == ends, "periods follow each other by calendar months")
      let sales = try await system.sales().filter { !$0.amount.isZero }
      #expect(sales.map(\.amount.minorUnits) == Array(repeating: 399, count: 36))
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty, "\(faults)")
    }
  }

  @Test("SUB-1: a store that has slept over a period's end asks once, and nothing is lost for it")
  func slept() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await system.letTimePass(seconds: 12 * 86_400)
      try await subscriber.waits(for: .subscribed)
      try await subscriber.device.app.until { Self.renewals(of: subscriber.first, in: $0).count == 1 }
      let renewal = try #require(Self.renewals(of: subscriber.first, in: subscriber.device.app).first)
      let end = try #require(subscriber.first.expirationDate)
      #expect(renewal.expirationDate == Period.oneMonth.adding(to: end))
    }
  }

  @Test("SUB-3: switched off, nothing more is charged, and what is paid stays to its end")
  func switchedOff() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await system.stopRenewing(ExampleProducts.monthly, of: subscriber.user)
      let status = try await subscriber.status()
      #expect(status.state == .subscribed && !status.willAutoRenew)
      let active = await subscriber.active()
      #expect(active == [ExampleProducts.monthly])
      try await system.letTimePass(seconds: 8 * 86_400)
      try await subscriber.waits(for: .expired)
      try await subscriber.restart()
      let secondActive = await subscriber.active()
      #expect(secondActive.isEmpty)
      #expect(Self.renewals(of: subscriber.first, in: subscriber.device.app).isEmpty)
    }
  }

  @Test(
    "SUB-23: the running plan, bought again with its renewal off, is renewed; the call returns the running transaction")
  func boughtAgain() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await system.stopRenewing(ExampleProducts.monthly, of: subscriber.user)
      subscriber.user.next(.payment) { try await $0.renewPlan() }
      let again = try await subscriber.buyAgain()
      #expect(!again.isFinished && again.transactionIdentifier == subscriber.first.transactionIdentifier)
      let willAutoRenew = try await subscriber.status().willAutoRenew
      #expect(willAutoRenew)
      try await subscriber.device.finish(again)

      try await system.stopRenewing(ExampleProducts.monthly, of: subscriber.user)
      subscriber.user.next(.payment) { try await $0.cancel() }
      let cancelled = try await subscriber.buyAgain()
      #expect(cancelled.transactionIdentifier == again.transactionIdentifier)
      try await subscriber.device.finish(cancelled)
      let renewsStill = try await subscriber.status().willAutoRenew
      #expect(!renewsStill)
      let amounts = try await system.amounts()
      #expect(amounts.isEmpty)
    }
  }

  @Test("SUB-4: a refund of an earlier period is money only; one of the last period ends the subscription")
  func refunds() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      var renewals: [OnsidePaymentTransaction] = []
      for _ in 1...2 {
        try await subscriber.passPeriods(1)
        renewals.append(try await subscriber.renewal(after: renewals.count))
      }
      try await system.refund(renewals[0])
      let state = try await subscriber.status().state
      #expect(state == .subscribed)
      try await system.refund(renewals[1])
      try await subscriber.waits(for: .revoked)
      try await subscriber.restart()
      let active = await subscriber.active()
      #expect(active.isEmpty)
      try await system.letTimePass(seconds: 40 * 86_400)
      let secondState = try await subscriber.status().state
      #expect(secondState == .revoked)
      let bookedCount = try await system.booked(of: subscriber.user).count
      #expect(bookedCount == 3, "nothing is charged any more")
    }
  }

  @Test(
    "SUB-4: a removed account is not charged again",
    .columns(.store, because: "a local store has no accounts to remove"))
  func removed() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let charged = try await system.sales().count
      try await system.remove(subscriber.user)
      try await system.letTimePass(seconds: 70 * 86_400)
      let saleCount = try await system.sales().count
      #expect(saleCount == charged)
    }
  }

  static func renewals(of first: OnsidePaymentTransaction, in app: Listener) -> [OnsidePaymentTransaction] {
    app.updates.filter { $0.id != first.id && $0.originalTransactionIdentifier == first.transactionIdentifier }
  }
}

extension TestedSubscriber {
  /// Buys the monthly plan once more; the transaction that the call returns.
  fileprivate func buyAgain() async throws -> OnsidePaymentTransaction {
    let product = try await device.product(ExampleProducts.monthly)
    let result = try await device.queue.purchase(product)
    guard case .purchased(let transaction) = result else {
      throw BrowserFailure("expected the running purchase, got \(result)")
    }
    return transaction
  }
}
