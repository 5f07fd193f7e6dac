import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

@Suite("Change numbers", .timeLimit(.minutes(5)))
struct ChangeNumberTests {
  private struct Failure: Error {}

  @Test("Concurrent writes of an account are numbered from 1 without a gap, also when some fail")
  func gapless() async throws {
    let store = try await TestStore()
    let (account, other) = (try await store.account(), try await store.account())
    let (database, now) = (store.core.dependencies.database, store.clock.now())
    let numbers = await withTaskGroup(of: Int64?.self) { group in
      for index in 0..<60 {
        group.addTask {
          try? await database.write(at: now) { transaction in
            let number = try AccountChangeRecords.next(of: account, in: transaction)
            if index % 3 == 0 { throw Failure() }
            return number
          }
        }
      }
      return await group.reduce(into: []) { numbers, number in numbers += [number].compactMap { $0 } }
    }
    #expect(numbers.sorted() == Array(1...40))
    let first = try await database.write(at: now) { try AccountChangeRecords.next(of: other, in: $0) }
    #expect(first == 1)
    let removed = try await database.write(at: now) { try AccountChangeRecords.next(of: "removed", in: $0) }
    #expect(removed == 0)
  }

  @Test("QUE-16: a device that syncs beside concurrent purchases of its account misses none")
  func concurrent() async throws {
    let store = try await TestStore {
      $0.limits.perClient = RateLimit(perSecond: 1_000_000, burst: 1_000_000)
      $0.limits.perAccount = RateLimit(perSecond: 1_000_000, burst: 1_000_000)
    }
    try await store.shop { shopper in
      var cursor = try await shopper.sync().cursor
      var paid: Set<OrderID> = []
      async let purchases = withThrowingTaskGroup(of: OrderID.self) { group in
        for _ in 0..<12 { group.addTask { try await shopper.buy("coins").id } }
        return try await group.reduce(into: Set<OrderID>()) { $0.insert($1) }
      }
      try await until("12 purchases to be synced") {
        let news = try await shopper.sync(cursor)
        cursor = news.cursor
        paid.formUnion(news.orders.filter { $0.state == .paid }.map(\.id))
        return paid.count == 12
      }
      let actualPurchases = try await purchases
      #expect(actualPurchases == paid)
    }
  }

  @Test("A purchase leaves the cursors of other accounts as they are")
  func accounts() async throws {
    try await TestStore().shop { shopper in
      let neighbour = Shopper(
        store: shopper.store, client: shopper.client, accountID: try await shopper.store.account(), country: "NL")
      try await neighbour.buy("coins")
      let (cursor, theirs) = (try await shopper.sync().cursor, try await neighbour.sync().cursor)
      let order = try await shopper.buy("coins")
      let actualCursor = try await neighbour.sync(theirs).cursor
      #expect(actualCursor == theirs)
      let orders = try await shopper.sync(cursor).orders
      #expect(orders == [order])
      let another = try await neighbour.buy("coins")
      let secondOrders = try await neighbour.sync(theirs).orders
      #expect(secondOrders == [another])
    }
  }

  @Test("QUE-16: a cursor from when all accounts had one counter goes on over the migration")
  func migration() async throws {
    let store = try await TestStore()
    try await store.openShop()
    let (account, neighbour) = (try await store.account(), try await store.account())
    try await store.test { client in
      for id in [account, neighbour] {
        try await Shopper(store: store, client: client, accountID: id, country: "NL").buy("coins")
      }
    }
    try await store.number([(account, 10), (neighbour, 30)], newest: 40)
    let migrated = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    let epoch = try await migrated.epoch()
    try await migrated.test { client in
      let shopper = Shopper(store: migrated, client: client, accountID: account, country: "NL")
      let orderCount = try await shopper.sync("9-NL-\(epoch)").orders.count
      #expect(orderCount == 1)
      let known = [10, 25, 40].map { "\($0)-NL-\(epoch)" }
      for cursor in known {
        let news = try await shopper.sync(cursor)
        #expect(news.orders.isEmpty && !news.startsOver, "cursor \(cursor)")
      }
      let order = try await shopper.buy("coins")
      for cursor in known {
        let news = try await shopper.sync(cursor)
        #expect(news.orders == [order], "cursor \(cursor)")
        let orders = try await shopper.sync(news.cursor).orders
        #expect(orders.isEmpty)
      }
      // Only a restored backup has fewer changes than a device knows.
      #expect(try await shopper.sync("999-NL-\(epoch)").startsOver)
    }
  }

  @Test("QUE-20: a device that knows a change which a restored backup lacks starts over, although its number returns")
  func restored() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let kept = try await shopper.buy("coins")
      await store.core.dependencies.database.close()
      let backup = try await TestDatabase.copy(of: store.folder)
      try await shopper.atReopenedStore(seed: 2) { shopper in
        try await shopper.buy("coins")
        let known = try await shopper.sync().cursor
        await shopper.store.core.dependencies.database.close()
        try TestDatabase.putBack(backup, in: store.folder)
        try await TestDatabase.renewCursors(in: store.folder)
        try await shopper.atReopenedStore(seed: 3) { shopper in
          let order = try await shopper.buy("coins")
          let cursor = try await shopper.sync().cursor.prefix { $0 != "-" }
          #expect(cursor == known.prefix { $0 != "-" })
          let answer = try await shopper.sync(known)
          #expect(answer.startsOver)
          #expect(Set(answer.orders.map(\.id)) == [kept.id, order.id])
          let orders = try await shopper.sync(answer.cursor).orders
          #expect(orders.isEmpty)
        }
      }
    }
  }
}

extension Shopper {
  /// The same account at a store that goes on with the data of this one, whose database is closed.
  fileprivate func atReopenedStore(
    seed: UInt64, _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    let again = try await TestStore(in: store.folder, clock: store.clock, seed: seed)
    try await again.test { client in
      try await body(Shopper(store: again, client: client, accountID: accountID, country: country))
    }
  }
}

extension TestStore {
  /// Gives the file the form of before migration 150, with one counter for all accounts, and closes it.
  fileprivate func number(_ changes: [(account: String, change: Int64)], newest: Int64) async throws {
    try await core.dependencies.database.write { connection in
      try connection.execute("ALTER TABLE accounts DROP COLUMN newest_change")
      try connection.execute("CREATE TABLE sequences(name TEXT PRIMARY KEY, value BIGINT NOT NULL)")
      try connection.execute("INSERT INTO sequences(name, value) VALUES ('changes', $1)", [.integer(newest)])
      try connection.execute("DELETE FROM schema_migrations WHERE number = 150")
      for (account, change) in changes {
        try connection.execute(
          "UPDATE orders SET changed = $2 WHERE account_id = $1", [.text(account), .integer(change)])
      }
    }
    await core.dependencies.database.close()
  }
}
