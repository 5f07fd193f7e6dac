import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Subscriptions in local testing", .timeLimit(.minutes(5)))
struct LocalSubscriptionTests {
  /// A month is half a minute.
  static let fast = #""_timeRate" : 15"#

  @Test("PRD-9: the introductory offer is for those who never subscribed in the group")
  func eligibility() async throws {
    let harness = try LocalRig(Self.fast)
    let priceValue = try await harness.product(LocalFile.monthly).introductoryPrice?.price.value
    #expect(priceValue == 0)
    let bought = try await harness.buy(LocalFile.monthly)
    #expect(harness.store.transactions().first?.price == Money(minorUnits: 0, currency: .eur))
    let introductoryPrice = try await harness.product(LocalFile.monthly).introductoryPrice
    #expect(introductoryPrice == nil)
    #expect(harness.store.expire(LocalFile.monthly))
    await harness.finish(bought)
    _ = try await harness.buy(LocalFile.monthly)
    #expect(harness.store.transactions().last?.price == Money(minorUnits: 399, currency: .eur))
    await harness.close()
  }

  @Test("LOC-2, QUE-17: _timeRate renews subscriptions fast; each renewal arrives once, in its chain")
  func renewals() async throws {
    let harness = try LocalRig(Self.fast)
    let first = try await harness.buy(LocalFile.yearly)
    let length = try #require(first.expirationDate).timeIntervalSince(try #require(first.purchaseDate))
    #expect(length == 360)
    for round in 1...3 {
      harness.world.clock.advance(length)
      await harness.watcher.until { _ in harness.purchased.count == 1 + round }
    }
    let renewals = harness.purchased.dropFirst()
    #expect(renewals.allSatisfy { $0.deliveryReason == .renewed })
    #expect(Set(renewals.map(\.originalTransactionIdentifier)) == [first.transactionIdentifier])
    let ends = harness.purchased.compactMap(\.expirationDate)
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $1.timeIntervalSince($0) == length })
    await harness.close()
  }

  @Test("LOC-4: a clock that jumps makes up for every renewal, each at its own time")
  func jump() async throws {
    let harness = try LocalRig(Self.fast)
    harness.store.buy(LocalFile.yearly)
    harness.world.clock.advance(360 * 5 + 1)
    #expect(harness.store.transactions().count == 6)
    #expect(Set(harness.store.transactions().compactMap(\.expirationDate)).count == 6)
  }

  @Test("QUE-16: a store that was closed makes up for every renewal, each at its own moment")
  func slept() async throws {
    let first = try LocalRig(Self.fast, keeping: true)
    let bought = try await first.buy(LocalFile.yearly)
    await first.close()
    first.world.clock.advance(360 * 3 + 1)
    let second = try LocalRig(world: first.world, keeping: true)
    await second.watcher.until { _ in Set(second.purchased.map(\.id)).count == 4 }
    let start = try #require(bought.purchaseDate)
    let renewals = second.purchased.filter { $0.deliveryReason == .renewed }
    #expect(renewals.compactMap { $0.purchaseDate?.timeIntervalSince(start) } == [357, 717, 1077])
    await second.close()
  }

  @Test("QUE-6: renewals that a start makes up for are kept before anything else happens, and not made again")
  func keptAtOnce() async throws {
    let first = try LocalRig(Self.fast, keeping: true)
    _ = try await first.buy(LocalFile.yearly)
    await first.close()
    first.world.clock.advance(360 + 1)
    var ids: [[UUID]] = []
    for _ in 0..<2 {
      let dependencies = first.world.dependencies()
      let store = LocalStore(try LocalFile.configuration(Self.fast), dependencies: dependencies, keepsPurchases: true)
      ids.append(store.transactions().map(\.id))
      await store.close()
    }
    #expect(ids[0] == ids[1] && ids[0].count == 2)
  }

  @Test("A store that was closed for very long makes up for a hundred renewals and goes on from now")
  func sleptLong() async throws {
    let first = try LocalRig(Self.fast, keeping: true)
    _ = try await first.buy(LocalFile.yearly)
    await first.close()
    first.world.clock.advance(360 * 1000)
    let second = try LocalRig(world: first.world, keeping: true)
    #expect(second.store.transactions().count == 102)
    let end = try #require(second.store.transactions().last?.expirationDate)
    #expect(end == first.world.clock.now + 360)
    await second.close()
  }

  @Test("RST-1: a subscription is restored by its latest transaction while it lasts, and not afterwards")
  func restore() async throws {
    let harness = try LocalRig(Self.fast)
    let first = try await harness.buy(LocalFile.yearly)
    #expect(harness.store.renew(LocalFile.yearly))
    await harness.watcher.until { _ in harness.purchased.count == 2 }
    let renewal = try #require(harness.purchased.last)
    #expect(renewal.purchaseDate == harness.world.clock.now)
    await harness.finish(first)
    await harness.finish(renewal)
    try await harness.queue.restoreCompletedTransactions()
    let restored = try await harness.watcher.first(.restored)
    #expect(restored.id == renewal.id)
    #expect(restored.originalTransactionIdentifier == first.transactionIdentifier)
    await harness.finish(restored)
    #expect(harness.store.expire(LocalFile.yearly))
    harness.watcher.forget()
    try await harness.queue.restoreCompletedTransactions()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.updates.isEmpty)
    #expect(!harness.store.expire(LocalFile.yearly) && !harness.store.renew(LocalFile.yearly))
    await harness.close()
  }

  @Test("A subscription whose renewal is switched off ends with its period")
  func cancelled() async throws {
    let harness = try LocalRig(Self.fast)
    harness.store.buy(LocalFile.yearly)
    #expect(harness.store.setAutoRenew(false, for: LocalFile.yearly))
    harness.world.clock.advance(400)
    #expect(harness.store.transactions().count == 1)
    #expect(!harness.store.setAutoRenew(true, for: LocalFile.yearly))
    await harness.close()
  }

  @Test(
    "Renewals that fail end in grace or retry, and go on once the billing issue is settled", arguments: [true, false])
  func billingRetry(grace: Bool) async throws {
    let harness = try LocalRig(
      Self.fast, #""_billingGracePeriodEnabled" : \#(grace)"#, #""_renewalBillingIssuesEnabled" : true"#)
    let first = try await harness.buy(LocalFile.yearly)
    await harness.finish(first)
    harness.world.clock.advance(361)
    #expect(harness.store.transactions().count == 1)
    try await harness.queue.restoreCompletedTransactions()
    await harness.watcher.until { $0.heard.contains(.restoreFinished) }
    #expect(harness.watcher.updates.contains { $0.transactionState == .restored } == grace)
    harness.store.settings.renewalBillingIssuesEnabled = false
    #expect(harness.store.renew(LocalFile.yearly))
    #expect(harness.store.transactions().count == 2)
    await harness.close()
  }

  @Test("A failed renewal that is not resolved ends the subscription")
  func billingError() async throws {
    let harness = try LocalRig(Self.fast, #""_renewalBillingIssuesEnabled" : true"#)
    harness.store.buy(LocalFile.yearly)
    harness.world.clock.advance(100_000)
    #expect(harness.store.transactions().count == 1)
    #expect(!harness.store.renew(LocalFile.yearly))
    await harness.close()
  }

  @Test("SUB-5, SUB-6: a higher plan starts at once; an order for a lower one is refused, which is chosen instead")
  func plans() async throws {
    let harness = try LocalRig(Self.fast)
    harness.store.buy(LocalFile.monthly)
    harness.store.buy(LocalFile.yearly)
    #expect(harness.store.transactions().map(\.productIdentifier) == [LocalFile.monthly, LocalFile.yearly])
    #expect(harness.store.transactions().first?.expirationDate == harness.world.clock.now)
    try await harness.client.login()
    await harness.watcher.until { _ in harness.purchased.count == 2 }
    try await harness.add(LocalFile.monthly)
    _ = try await harness.watcher.first(.failed)
    #expect(harness.store.buy(LocalFile.monthly) == nil)
    try harness.store.subscription(LocalFile.yearly).change(to: LocalFile.monthly)
    #expect(harness.store.renew(LocalFile.yearly))
    #expect(harness.store.transactions().last?.productIdentifier == LocalFile.monthly)
    await harness.close()
  }

  @Test("QUE-19: a refund ends a subscription, and it can be bought again")
  func refund() async throws {
    let harness = try LocalRig(Self.fast)
    let first = try await harness.buy(LocalFile.yearly)
    #expect(harness.store.refund(first.id))
    await harness.watcher.until { $0.revocations.map(\.id) == [first.id] }
    harness.world.clock.advance(1000)
    #expect(harness.store.transactions().count == 1)
    let second = try await harness.buy(LocalFile.yearly)
    #expect(second.originalTransactionIdentifier == second.transactionIdentifier)
    await harness.close()
  }
}

@MainActor
@Suite("Entitlements in local testing", .timeLimit(.minutes(5)))
struct LocalEntitlementTests {
  private func active(_ harness: LocalRig) async -> [String] {
    await harness.client.entitlements.filter(\.isActive).map(\.productIdentifier).sorted()
  }

  @Test("ENT-2: what is bought may be used, also in the next launch without a network")
  func bought() async throws {
    let first = try LocalRig(keeping: true)
    #expect(await active(first).isEmpty)
    for product in [LocalFile.coins, LocalFile.adFree] { await first.finish(try await first.buy(product)) }
    #expect(await eventually { await active(first) == [LocalFile.adFree] })
    let second = try await first.restart()
    second.store.isOffline = true
    let activeProducts = await active(second)
    #expect(activeProducts == [LocalFile.adFree])
    await second.close()
  }

  @Test("ENT-5: a subscription is active over its renewals, and ends when it expires")
  func renewals() async throws {
    let harness = try LocalRig(LocalSubscriptionTests.fast)
    _ = try await harness.buy(LocalFile.yearly)
    #expect(await eventually { await active(harness) == [LocalFile.yearly] })
    harness.world.clock.advance(360)
    #expect(await eventually { harness.purchased.count == 2 })
    #expect(await eventually { await active(harness) == [LocalFile.yearly] })
    #expect(harness.store.expire(LocalFile.yearly))
    #expect(await eventually { await active(harness).isEmpty })
    await harness.close()
  }

  @Test("ENT-1: a refund takes an entitlement away, and says so")
  func refund() async throws {
    let harness = try LocalRig()
    let bought = try await harness.buy(LocalFile.adFree)
    #expect(await eventually { await active(harness) == [LocalFile.adFree] })
    harness.store.refund(bought.id)
    #expect(await eventually { await harness.client.entitlements.first?.revocationDate != nil })
    #expect(await active(harness).isEmpty)
    await harness.close()
  }
}
