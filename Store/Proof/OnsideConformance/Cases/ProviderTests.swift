import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreBase
import StoreSales
import StoreTestSupport
import StripeDouble
import Testing

/// The same cases with each payment provider.
@MainActor
@Suite(
  "Payment providers", .serialized, .columns(.store, because: "there is no payment provider"), .timeLimit(.minutes(5)))
struct ProviderTests {
  @Test(
    "PAY-1: an order is paid once, with events that are told twice",
    arguments: TestedProvider.allCases)
  func once(provider: TestedProvider) async throws {
    try await provider.run { system, cashier in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { try await cashier.pay($0, with: .accepted) }
      let bought = try await device.buy(ExampleProducts.coins)
      for _ in 0..<2 { await cashier.tell(copies: 2) }
      let orderIDs = try await system.sales().map(\.orderID)
      #expect(orderIDs == [bought.id])
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
      #expect(try await system.isHeldByProvider(cashier))
    }
  }

  @Test("PAY-2: a declined card leaves the order open, and another one pays it", arguments: TestedProvider.allCases)
  func declined(provider: TestedProvider) async throws {
    try await provider.run { system, cashier in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { try await cashier.pay($0, with: .declined, .accepted) }
      let bought = try await device.buy(ExampleProducts.coins)
      let orderIDs = try await system.sales().map(\.orderID)
      #expect(orderIDs == [bought.id])
      #expect(try await system.isHeldByProvider(cashier))
    }
  }

  @Test("PAY-3: a card whose bank asks the buyer pays when the buyer agrees", arguments: TestedProvider.allCases)
  func asksBuyer(provider: TestedProvider) async throws {
    try await provider.run { system, cashier in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { try await cashier.pay($0, with: .asksBuyer) }
      let bought = try await device.buy(ExampleProducts.coins)
      let orderIDs = try await system.sales().map(\.orderID)
      #expect(orderIDs == [bought.id])
      #expect(try await system.isHeldByProvider(cashier))
    }
  }

  @Test(
    "PAY-4: a part of the price goes back and the purchase stays; with the rest it goes, and the app is told",
    arguments: TestedProvider.allCases)
  func refunds(provider: TestedProvider) async throws {
    try await provider.run { system, cashier in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { try await cashier.pay($0, with: .accepted) }
      let bought = try await device.buy(ExampleProducts.adFree)
      let price = try #require(try await system.sales().first?.amount)
      try await system.core.refunds.refund(
        bought.id, amount: Money(minorUnits: 40, currency: price.currency), because: .refund)
      try await system.refundsSettle(of: bought.id)
      let revocation = try await system.order(bought, of: device.user).state.revocation
      #expect(revocation == nil)
      #expect(try await system.isHeldByProvider(cashier))
      try await system.core.refunds.refund(bought.id, because: .refund)
      try await device.app.until { $0.revocations.contains { $0.id == bought.id } }
      try await system.refundsSettle(of: bought.id)
      await cashier.tell(copies: 2)
      let states = try await system.core.refunds.refunds(of: bought.id).map(\.state)
      #expect(states == [.settled, .settled])
      #expect(try await system.isHeldByProvider(cashier))
    }
  }
}

extension ProviderTests {
  @Test(
    "SUB-14: a free trial costs 0, whatever the bank asks; its card is charged when the trial ends, and once",
    arguments: TestedProvider.allCases, [TestedCard.accepted, .asksBuyer])
  func trial(provider: TestedProvider, card: TestedCard) async throws {
    try await provider.run { system, cashier in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { try await cashier.pay($0, with: card) }
      let trial = try await device.buy(ExampleProducts.monthly)
      try await device.finish(trial)
      let sales = try await system.sales()
      #expect(sales.allSatisfy { $0.amount.isZero })
      #expect(try await system.isHeldByProvider(cashier))
      // The sandbox's card asks at the renewal, too.
      guard card == .accepted else { return }
      try await system.letTimePass(seconds: 8 * 86_400)
      try await device.app.until { SubscriptionTests.renewals(of: trial, in: $0).count == 1 }
      let saleCount = try await system.sales().filter { !$0.amount.isZero }.count
      #expect(saleCount == 1)
      #expect(try await system.isHeldByProvider(cashier))
    }
  }

  @Test(
    "PAY-5: a dispute's money is gone until the dispute is won; when it is lost, the purchase is taken away",
    arguments: TestedProvider.allCases, [TestedCard.disputeWon, .disputeLost])
  func disputed(provider: TestedProvider, card: TestedCard) async throws {
    try await provider.run { system, cashier in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { try await cashier.pay($0, with: card) }
      let bought = try await device.buy(ExampleProducts.adFree)
      try await cashier.openDispute(in: system)
      let open = try await system.dispute { $0.isWithdrawn }
      #expect(open.orderID == bought.id && open.state == .open)
      await #expect(throws: RefundError.disputed(open.id)) {
        try await system.core.refunds.refund(bought.id, because: .refund)
      }
      try await cashier.closeDispute(of: card, in: system)
      let closed = try await system.dispute { $0.closedAt != nil && $0.isWithdrawn == (card == .disputeLost) }
      #expect(closed.state == (card == .disputeWon ? .won : .lost))
      if card == .disputeLost { try await device.app.until { $0.revocations.contains { $0.id == bought.id } } }
      let isEntitled = try await system.order(bought, of: device.user).state.isEntitled
      #expect(isEntitled == (card == .disputeWon))
      #expect(try await system.isHeldByProvider(cashier))
    }
  }
}

extension TestedSystem {
  /// Waits until the one dispute is as described.
  fileprivate func dispute(_ isReached: @Sendable (Dispute) -> Bool) async throws -> Dispute {
    var disputes: [Dispute] = []
    try await NamedDeadline.wait(for: "a dispute in the expected state") {
      disputes = try await core.dependencies.database.read { try Dispute.newest(10, in: $0) }
      return disputes.first.map(isReached) == true
    }
    #expect(disputes.count == 1)
    return disputes[0]
  }

  /// Waits until no refund of an order is under way.
  fileprivate func refundsSettle(of order: UUID) async throws {
    try await NamedDeadline.wait(for: "settled refunds of \(order)") {
      try await !core.refunds.refunds(of: order).contains { $0.state == .asked }
    }
  }

  /// Whether the books agree, and say that the provider holds what it says it holds, once it has told everything.
  fileprivate func isHeldByProvider(_ cashier: Cashier) async throws -> Bool {
    await cashier.tell(copies: 1)
    try await outboxEmpties()
    let (faults, balances) = try await core.dependencies.database.read { connection in
      (try Reconciliation(connection).faults(), try Ledger.balances(in: connection))
    }
    #expect(faults == [])
    // The sandbox's own books are a rule of the reconciliation.
    guard let stripe = cashier.stripe else { return faults.isEmpty }
    let booked = balances.filter { $0.account.name == "provider:stripe" }
      .reduce(into: [String: Int64]()) { $0[$1.amount.currency.code.lowercased()] = $1.amount.minorUnits }
    #expect(booked == stripe.balance.filter { $0.value != 0 })
    return faults.isEmpty && booked == stripe.balance.filter { $0.value != 0 }
  }
}
