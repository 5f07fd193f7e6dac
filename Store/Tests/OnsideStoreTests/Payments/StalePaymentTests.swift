import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments

@Suite("A payment whose order is read where it is not yet", .timeLimit(.minutes(5)))
struct StalePaymentTests {
  @Test("STO-12: is tried again, as at a primary that comes back after another one was promoted")
  func stale() async throws {
    let (folder, earlier, clock) = (try TemporaryFolder(), try TemporaryFolder(), ManualClock())
    let database = ReplacedDatabase(
      try await TestDatabase.open(in: folder, now: clock.now()),
      before: try await TestDatabase.open(in: earlier, now: clock.now()))
    let store = try await TestStore(in: folder, clock: clock, database: database)
    try await store.shop { shopper in
      let order = try await shopper.order("coins")
      database.isStale.withLock { $0 = true }
      await #expect(throws: PaymentError.notFound) { try await shopper.pay(order, with: .succeeds) }
      database.isStale.withLock { $0 = false }
      let state = try await shopper.order(order.id).state
      #expect(state == .processing)
      try await store.settle()
      let secondState = try await shopper.order(order.id).state
      #expect(secondState == .paid)
    }
  }
}

/// A database whose reads may find the state before all that was written.
private final class ReplacedDatabase: ForwardingDatabase {
  let isStale = Mutex(false)
  let base: any Database
  private let earlier: any Database

  init(_ base: any Database, before earlier: any Database) { (self.base, self.earlier) = (base, earlier) }

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    try await (isStale.withLock { $0 } ? earlier : base).read(body)
  }

  func close() async {
    await base.close()
    await earlier.close()
  }
}
