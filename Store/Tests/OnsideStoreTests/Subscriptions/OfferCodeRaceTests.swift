import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales

/// Codes that several accounts, codes and cancelled orders contend for, each at a process of its own.
@Suite("Offer codes at several processes", .timeLimit(.minutes(5)))
struct OfferCodeRaceTests {
  /// How often what is won by chance is tried.
  private static let rounds = 20

  /// A shop whose plan has an offer of codes, as four processes serve it.
  private func open(_ body: @escaping @Sendable ([TestStore]) async throws -> Void) async throws {
    try await PlanShop.open { shopper in
      try await shopper.store.core.catalogue.replace(try OfferCodeTests.catalogue(), of: TestShop.app.id)
      var stores = [shopper.store]
      for seed: UInt64 in 2...4 { stores.append(try await shopper.store.another(seed: seed)) }
      try await body(stores)
    }
  }

  @Test("SUB-11: of 501 that enter a code for 500 at once, at four processes, exactly 500 get it (case 85)")
  func custom() async throws {
    try await open { stores in
      let code = try await stores[0].core.offerCodes.createCustom(
        "spring-26", limit: 500, product: "basic", offer: OfferCodeTests.offer, of: TestShop.app.id, expiresAt: nil)
      var accounts: [String] = []
      for _ in 0..<501 { accounts.append(try await stores[0].account()) }
      let outcomes = try await withThrowingTaskGroup(of: Result<UUID, OfferCodeRefusal>.self) { [accounts] tasks in
        for (index, account) in accounts.enumerated() {
          let store = stores[index % stores.count]
          tasks.addTask { try await store.redeem(code.text, for: account, network: "n\(index)") }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0.isSuccess } == 500)
      #expect(outcomes.count { $0 == .failure(.usedUp) } == 1)
      let uses = try await stores[0].uses()
      #expect(uses == 500)
    }
  }

  @Test("SUB-11: of two accounts that enter a one-time code at once, at two processes, one gets it")
  func oneTime() async throws {
    try await open { stores in
      for code in try await stores[0].codes(Self.rounds) {
        let accounts = (try await stores[0].account(), try await stores[0].account())
        async let first = stores[1].redeem(code, for: accounts.0)
        async let second = stores[2].redeem(code, for: accounts.1)
        let outcomes = [try await first, try await second]
        #expect(outcomes.count { $0.isSuccess } == 1 && outcomes.contains(.failure(.usedUp)))
      }
      let uses = try await stores[0].uses()
      #expect(uses == Int64(Self.rounds))
    }
  }

  @Test("SUB-11: an account that enters two codes of a batch at once, at two processes, uses one of them")
  func twoOfBatch() async throws {
    try await open { stores in
      let codes = try await stores[0].codes(2 * Self.rounds)
      for round in 0..<Self.rounds {
        let account = try await stores[0].account()
        async let first = stores[1].redeem(codes[2 * round], for: account)
        async let second = stores[2].redeem(codes[2 * round + 1], for: account)
        // Who comes later is led to the order that the account has made.
        let orders = [try await first.get(), try await second.get()]
        #expect(Set(orders).count == 1)
      }
      let uses = try await stores[0].uses()
      #expect(uses == Int64(Self.rounds))
    }
  }

  @Test("SUB-11: a use that a cancelled order gives back, while another account redeems the code, is there once")
  func givenBack() async throws {
    try await open { stores in
      for code in try await stores[0].codes(Self.rounds) {
        let (holder, other) = (try await stores[0].account(), try await stores[0].account())
        let order = try await stores[0].redeem(code, for: holder).get()
        let customer = Customer(account: holder, app: TestShop.app.id)
        async let cancelled = stores[1].core.orders.cancel(order, because: .user, for: customer)
        async let again = stores[2].core.orders.cancel(order, because: .user, for: customer)
        async let redeemed = stores[3].redeem(code, for: other)
        let stages = try await [cancelled, again].map(\.state.stage)
        #expect(stages == [.cancelled, .cancelled])
        let outcome = try await redeemed
        #expect(outcome.isSuccess || outcome == .failure(.usedUp), "before the order was cancelled, or behind it")
        if !outcome.isSuccess { #expect(try await stores[3].redeem(code, for: other).isSuccess) }
        let actualOutcome = try await stores[1].redeem(code, for: holder)
        #expect(actualOutcome == .failure(.usedUp))
      }
      let uses = try await stores[0].uses()
      #expect(uses == Int64(Self.rounds))
    }
  }
}

extension TestStore {
  /// Another process of the same store, with connections of its own.
  func another(seed: UInt64) async throws -> TestStore { try await TestStore(in: folder, clock: clock, seed: seed) }

  fileprivate func redeem(_ code: OfferCode, for account: String) async throws -> Result<UUID, OfferCodeRefusal> {
    try await redeem(code.text, for: account)
  }

  /// New one-time codes of one batch.
  fileprivate func codes(_ count: Int) async throws -> [OfferCode] {
    try await core.offerCodes.create(
      count, product: "basic", offer: OfferCodeTests.offer, of: TestShop.app.id, expiresAt: nil
    ).codes
  }

  /// How many uses of all codes are taken.
  fileprivate func uses() async throws -> Int64 {
    try await core.offerCodes.batches(of: TestShop.app.id).map(\.uses).reduce(0, +)
  }
}
