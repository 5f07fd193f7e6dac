import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Several stores on one PostgreSQL database. Their clock stands still: nothing that looks each second does.
@Suite("Several processes on PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresProcessTests {
  private let test: PostgresTestDatabase

  init() async throws { test = try await PostgresTestDatabase() }

  /// A shop, and a second store of the same database that serves; the body gets a phone at each.
  private func twoStores(
    through proxy: PostgresProxy? = nil,
    _ body: @escaping @Sendable (_ served: Shopper, _ other: Shopper) async throws -> Void
  ) async throws {
    let database = try await test.open(Migration.all)
    let served = try await test.open(Migration.all, through: proxy)
    try await TestStore(seed: 1, database: database).shop { other in
      let store = try await TestStore(clock: other.store.clock, seed: 2, database: served)
      let start = store.core.changes.subscribe(account: "start")
      let listens = Task { await store.core.changes.wait(start, upTo: .seconds(60)) }
      try await untilPolling(store)
      try await store.live { _ in
        // A poll that has not said what it has read wakes when the store begins to listen.
        try await within("the store to listen") { await listens.value }
        try await store.test { client in
          try await body(
            Shopper(store: store, client: client, accountID: other.accountID, country: other.country), other)
        }
      }
    }
    await database.close()
  }

  /// Runs a body, and fails with what it stands for when that takes too long.
  private func within<T: Sendable>(
    _ what: String, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
      group.addTask(operation: body)
      group.addTask {
        let deadline = NamedDeadline(what)
        while true { try await deadline.next(in: .milliseconds(50)) }
      }
      defer { group.cancelAll() }
      return try #require(try await group.next())
    }
  }

  /// Returns when a poll of a store waits.
  private func untilPolling(_ store: TestStore) async throws {
    let deadline = NamedDeadline("a poll to wait")
    while store.core.changes.waitingCount == 0 { try await deadline.next() }
  }

  @Test("STO-12: a poll that waits at one is answered by an order at another, without a look at the database")
  func poll() async throws {
    try await twoStores { served, other in
      let cursor = try await served.sync().cursor
      let poll = Task { try await within("a wake") { try await served.sync(cursor, wait: 30) } }
      try await untilPolling(served.store)
      let order = try await other.buy("coins")
      let ids = try await poll.value.orders.map(\.id)
      #expect(ids == [order.id])
    }
  }

  @Test("A poll is answered after the listening connection was lost, also for what was told meanwhile")
  func reconnect() async throws {
    let proxy = try PostgresProxy(to: test.server)
    try await twoStores(through: proxy) { served, other in
      let cursor = try await served.sync().cursor
      let poll = Task { try await within("a wake after the reconnection") { try await served.sync(cursor, wait: 30) } }
      try await untilPolling(served.store)
      proxy.set(.refuses)
      proxy.endConnections()
      let order = try await other.buy("coins")
      #expect(served.store.core.changes.waitingCount == 1)
      proxy.set(.forwards)
      let news = try await poll.value
      #expect(news.orders.map(\.id) == [order.id])
      // The new connection hears as the first one did.
      let next = Task { try await within("a second wake") { try await served.sync(news.cursor, wait: 30) } }
      try await untilPolling(served.store)
      let outcome = try await other.finish(order.id)
      #expect(outcome == .noContent)
      let finished = try await next.value.orders.map(\.finished)
      #expect(finished == [true])
    }
  }

  /// Has a database hear, and returns when it does.
  private func listen(_ database: PostgresDatabase) async throws -> AsyncStream<RelayedWake> {
    let (wakes, continuation) = AsyncStream.makeStream(of: RelayedWake.self)
    try #require(database.wakeRelay).listen { continuation.yield($0) }
    let actualNext = try await next(wakes)
    #expect(actualNext == .all)
    return wakes
  }

  private func next(_ wakes: AsyncStream<RelayedWake>) async throws -> RelayedWake? {
    try await within("a wake") { await wakes.first { _ in true } }
  }

  @Test("A process hears what others tell, and not what it tells itself")
  func own() async throws {
    let (first, second) = (try await test.open(), try await test.open())
    let heard = (try await listen(first), try await listen(second))
    first.wakeRelay?.tell(account: "a")
    let actualNext = try await next(heard.1)
    #expect(actualNext == .accounts(["a"]))
    second.wakeRelay?.tell(account: "b")
    let secondNext = try await next(heard.0)
    #expect(secondNext == .accounts(["b"]))
    for database in [first, second] { await database.close() }
  }

  @Test("What a process tells right before it ends is told")
  func lastWords() async throws {
    let (database, command) = (try await test.open(), try await test.open())
    let heard = try await listen(database)
    command.wakeRelay?.tell(account: "a")
    await command.close()
    let actualNext = try await next(heard)
    #expect(actualNext == .accounts(["a"]))
    await database.close()
  }

  @Test("The accounts of a moment share a notification; too many of them are all")
  func payload() {
    let pending = PendingWakes()
    #expect(pending.nextPayload() == nil)
    #expect(pending.add("b") && !pending.add("a") && !pending.add("b"))
    #expect(pending.nextPayload() == "a,b")
    #expect(pending.nextPayload() == nil)
    for number in 0..<216 { _ = pending.add(String(repeating: "x", count: 33) + "\(number + 100)") }
    #expect(pending.nextPayload()?.utf8.count == 216 * 37 - 1)
    for number in 0..<217 { _ = pending.add(String(repeating: "x", count: 33) + "\(number + 100)") }
    #expect(pending.nextPayload() == "*")
    #expect(pending.add("a,b"))
    #expect(pending.nextPayload() == "*")
    let heard = Mutex<[RelayedWake]>([])
    pending.observe { wake in heard.withLock { $0.append(wake) } }
    for payload in ["a,b", "*"] { pending.didReceive(payload) }
    #expect(heard.withLock { $0 } == [.accounts(["a", "b"]), .all])
  }

  @Test("STO-12: a provider's event that two processes get at the same time is booked once")
  func event() async throws {
    try await twoStores { served, other in
      let order = try await other.order("coins")
      let outcome = try await other.pay(order, with: .neverSettles)
      #expect(outcome == .pending)
      let payment = try #require(try await other.store.payments(of: order.id).first)
      async let first = other.store.event("succeeded", payment: payment, order: order.id, id: "e", with: other.client)
      async let second = served.store.event(
        "succeeded", payment: payment, order: order.id, id: "e", with: served.client)
      let value = try await [first, second]
      #expect(value == [.noContent, .noContent])
      let ledgerCount = try await other.store.ledger(order.id).count
      #expect(ledgerCount == 2)
      let state = try await other.order(order.id).state
      #expect(state == .paid)
    }
  }
}
