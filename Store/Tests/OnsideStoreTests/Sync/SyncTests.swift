import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

@Suite("Sync", .timeLimit(.minutes(5)))
struct SyncTests {
  @Test("QUE-16: a device that knows nothing gets every paid order that is not finished, and what is processing")
  func first() async throws {
    try await TestStore().shop { shopper in
      let paid = try await shopper.buy("coins")
      let processing = try await shopper.order("coins")
      _ = try await shopper.pay(processing, with: .neverSettles)
      _ = try await shopper.order("coins")
      let finished = try await shopper.buy("coins")
      _ = try await shopper.finish(finished.id)
      let message = try await shopper.sync()
      #expect(message.country == .netherlands)
      #expect(Set(message.orders.map(\.id)) == [paid.id, processing.id])
    }
  }

  @Test("QUE-16: a purchase made elsewhere arrives with the next sync, once")
  func incremental() async throws {
    try await TestStore().shop { shopper in
      let cursor = try await shopper.sync().cursor
      let orders = try await shopper.sync(cursor).orders
      #expect(orders.isEmpty)
      let order = try await shopper.buy("coins")
      let news = try await shopper.sync(cursor)
      #expect(news.orders == [order])
      let secondOrders = try await shopper.sync(news.cursor).orders
      #expect(secondOrders.isEmpty)
    }
  }

  @Test("QUE-13: a finished order is never delivered again; other devices hear that it is finished")
  func finished() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("coins")
      let cursor = try await shopper.sync().cursor
      _ = try await shopper.finish(order.id)
      let actualFinished = try await shopper.sync(cursor).orders.map(\.finished)
      #expect(actualFinished == [true])
      let orders = try await shopper.sync().orders
      #expect(orders.isEmpty)
      let status = try await shopper.store.event(
        "succeeded", payment: "again", order: order.id, with: shopper.client)
      #expect(status == .noContent)
      let secondOrders = try await shopper.sync().orders
      #expect(secondOrders.isEmpty)
    }
  }

  @Test("QUE-19: a refund reaches a waiting app at once, and ends what was owned")
  func refundWakes() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let duplicate = try await shopper.order("remove_ads")
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [order.id])
      let cursor = try await shopper.sync().cursor
      async let waiting = shopper.sync(cursor, wait: 25)
      try await shopper.store.untilWaiting(1)
      try await shopper.store.core.orders.refund(order.id.uuid, because: .support)
      let news = try await waiting.orders
      #expect(Set(news.map(\.id)) == [order.id, duplicate.id])
      #expect(news.allSatisfy { $0.revocationReason == .support })
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let duplicateOf = try await shopper.order("remove_ads").duplicateOf
      #expect(duplicateOf == nil)
    }
  }

  @Test("QUE-20: a sync that starts over tells what is owned and what was taken back, and says that it does")
  func startsOver() async throws {
    try await TestStore().shop { shopper in
      let owned = try await shopper.buy("remove_ads")
      let (used, refunded) = (try await shopper.buy("coins"), try await shopper.buy("coins"))
      for order in [owned, used, refunded] { _ = try await shopper.finish(order.id) }
      try await shopper.store.core.orders.refund(refunded.id.uuid, because: .support)
      let message = try await shopper.sync()
      #expect(message.startsOver)
      #expect(Set(message.orders.map(\.id)) == [owned.id, refunded.id])
      #expect(message.orders.first { $0.id == refunded.id }?.revokedAt != nil)
      let actualStartsOver = try await shopper.sync(message.cursor).startsOver
      #expect(actualStartsOver == false)
    }
  }

  @Test("ACC-17: a changed region reaches a waiting app at once")
  func region() async throws {
    try await TestStore().shop { shopper in
      let cursor = try await shopper.sync().cursor
      async let waiting = shopper.sync(cursor, wait: 25)
      try await shopper.store.untilWaiting(1)
      try await shopper.store.move(shopper.accountID, to: "DE")
      let alpha2 = try await waiting.country.alpha2
      #expect(alpha2 == "DE")
    }
  }

  @Test("A poll without news ends when its time is up, and only then")
  func timeout() async throws {
    try await TestStore().shop { shopper in
      let cursor = try await shopper.sync().cursor
      async let waiting = shopper.sync(cursor, wait: 25)
      try await shopper.store.untilWaiting(1)
      shopper.store.advance(by: .milliseconds(24_500))
      #expect(shopper.store.core.changes.count == 1)
      shopper.store.advance(by: .milliseconds(1000))
      let actualWaiting = try await waiting
      #expect(actualWaiting == SyncMessage(cursor: cursor, country: .netherlands, orders: []))
      #expect(shopper.store.core.changes.count == 0)
    }
  }

  @Test("A thousand waiting polls wake by their account alone, and leave nothing behind")
  func thousand() async throws {
    let store = try await TestStore { $0.limits.perClient = RateLimit(perSecond: 10_000, burst: 10_000) }
    try await store.shop { shopper in
      var shoppers: [Shopper] = []
      for _ in 0..<1000 {
        shoppers.append(
          Shopper(store: store, client: shopper.client, accountID: try await store.account(), country: "NL"))
      }
      try await withThrowingTaskGroup(of: Int.self) { group in
        let cursor = try await shopper.sync().cursor
        for shopper in shoppers { group.addTask { try await shopper.sync(cursor, wait: 30).orders.count } }
        try await store.untilWaiting(1000)
        try await shoppers[500].buy("coins")
        let next = try await group.next()
        #expect(next == 1)
        #expect(store.core.changes.count == 999)
        store.advance(by: .seconds(31))
        var found = 0
        for try await count in group { found += count }
        #expect(found == 0)
      }
      #expect(store.core.changes.count == 0)
    }
  }

  @Test("STO-5: an account has at most eight waiting polls; the oldest gives way")
  func manyOfOneAccount() async throws {
    try await TestStore().shop { shopper in
      let cursor = try await shopper.sync().cursor
      try await withThrowingTaskGroup(of: Void.self) { group in
        for count in 1...8 {
          group.addTask { _ = try await shopper.sync(cursor, wait: 30) }
          try await shopper.store.untilWaiting(count)
        }
        group.addTask { _ = try await shopper.sync(cursor, wait: 30) }
        _ = try await group.next()
        #expect(shopper.store.core.changes.count == 8)
        shopper.store.core.changes.close()
        try await group.waitForAll()
      }
    }
  }

  @Test("QUE-16: after a backup was restored, devices that know the same number of other changes start over")
  func restored() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let (known, epoch) = (try await shopper.sync().cursor, try await store.epoch())
      let waiting = Task { try await shopper.sync(known, wait: 25) }
      try await store.untilWaiting(1)
      try await TestDatabase.renewCursors(in: store.folder)
      store.core.changes.wakeAll()
      let cursor = try await waiting.value.cursor
      #expect(cursor != known)
      // What the lost line of history had numbered up to here, another purchase has now.
      let order = try await shopper.buy("coins")
      let lost = try await shopper.sync().cursor.replacing(try await store.epoch(), with: epoch)
      let answer = try await shopper.sync(lost, wait: 25)
      #expect(answer.orders.map(\.id) == [order.id])
      let orders = try await shopper.sync(answer.cursor).orders
      #expect(orders.isEmpty)
      let reopenedEpoch = try await TestStore(in: store.folder, clock: store.clock).epoch()
      let currentEpoch = try await store.epoch()
      #expect(reopenedEpoch == currentEpoch)
    }
  }

  @Test("A cursor of the future or of the first version starts over at once; a cursor that is none is refused")
  func cursors() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("coins")
      let epoch = try await shopper.store.epoch()
      for cursor in ["999999-NL-\(epoch)", "999999-NL", "1-NL", "1-NL-", "1-NL-a-b"] {
        let ids = try await shopper.sync(cursor, wait: 25).orders.map(\.id)
        #expect(ids == [order.id])
      }
      for cursor in ["x", "1", "-1-NL", "1-XX", "99999999999999999999-NL"] {
        let code = try await shopper.get("/v1/sync?cursor=\(cursor)").problem().code
        #expect(code == .invalidRequest)
      }
      for wait in ["-1", "31", "x", "1.5"] {
        let secondCode = try await shopper.get("/v1/sync?wait=\(wait)").problem().code
        #expect(secondCode == .invalidRequest)
      }
    }
  }

  @Test("RST-1: non-consumables and running subscriptions come back, consumables and what is over do not")
  func restorable() async throws {
    try await TestStore().shop { shopper in
      let owned = try await shopper.buy("remove_ads")
      let subscription = try await shopper.buy("pro")
      for product in ["coins", "season"] { try await shopper.buy(product) }
      _ = try await shopper.order("remove_ads")
      for id in [owned.id, subscription.id] { _ = try await shopper.finish(id) }
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [owned.id, subscription.id])
      shopper.store.advance(by: .seconds(32 * 86400))
      let secondIDs = try await shopper.restorable().map(\.id)
      #expect(secondIDs == [owned.id])
      let originalOrderID = try await shopper.restorable().first?.originalOrderID
      #expect(originalOrderID == owned.id)
    }
  }

  @Test("RST-1: what was bought before the database noted what is restorable is restored, and told to new devices")
  func ordersOfBefore() async throws {
    try await TestStore().shop { shopper in
      let owned = [try await shopper.buy("remove_ads").id, try await shopper.buy("pro").id]
      for id in owned + [try await shopper.buy("coins").id] { _ = try await shopper.finish(id) }
      let (database, step) = (
        shopper.store.core.dependencies.database, try #require(Migration.all.first { $0.number == 160 })
      )
      let indexes = step.sql.matches(of: /CREATE INDEX (\w+)/).map { String($0.1) }
      try await database.write { connection in
        for index in indexes { try connection.execute("DROP INDEX \(index)") }
        try connection.execute("ALTER TABLE orders DROP COLUMN is_restorable")
        try connection.execute("CREATE INDEX orders_held ON orders(held_by)")
        try connection.execute("DELETE FROM schema_migrations WHERE number = $1", [.integer(step.number)])
      }
      await database.close()
      let later = try await TestStore(in: shopper.store.folder, clock: shopper.store.clock)
      try await later.test { client in
        let again = Shopper(store: later, client: client, accountID: shopper.accountID, country: "NL")
        let (restored, told) = (try await again.restorable(), try await again.sync().orders)
        #expect(restored.map(\.id) == owned && told.map(\.id) == owned)
      }
    }
  }

  @Test("RST-1: another app of the same account sees nothing of it")
  func apps() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("remove_ads")
      let other = App(id: "io.example.other", name: "Other", redirectURIs: [])
      try await shopper.store.core.apps.register(other)
      let (sync, now) = (shopper.store.core.sync, shopper.store.clock.now())
      let customer = Customer(account: shopper.accountID, app: other.id)
      let caller = OrderCaller(customer: customer, device: DeliveryDevice(id: "phone", knowsLeases: true))
      let orders = try await sync.restorable(of: customer, now: now)
      let news = try await sync.sync(for: caller, since: nil, wait: .zero, now: now)
      #expect(orders.isEmpty)
      #expect(news.orders.isEmpty)
    }
  }

  @Test("A look at the database wakes the polls of changed accounts, and no others")
  func look() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let other = Shopper(
        store: store, client: shopper.client, accountID: try await store.account(), country: shopper.country)
      let cursors = (try await shopper.sync().cursor, try await other.sync().cursor)
      async let waiting = shopper.sync(cursors.0, wait: 25)
      let sleeping = Task { try await other.sync(cursors.1, wait: 25) }
      try await store.untilWaiting(2)
      let changes = store.core.externalChanges
      try await changes.look()
      #expect(store.core.changes.waitingCount == 2)
      let tool = try await TestStore(in: store.folder, clock: store.clock)
      try await tool.move(shopper.accountID, to: "DE")
      try await changes.look()
      let alpha2 = try await waiting.country.alpha2
      #expect(alpha2 == "DE")
      #expect(store.core.changes.waitingCount == 1)
      store.core.changes.wake(account: other.accountID)
      let orders = try await sleeping.value.orders
      #expect(orders.isEmpty)
    }
  }

  @Test("What the command line changes in the database is noticed and wakes the polls")
  func externalChange() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let service = Task { try await store.core.externalChanges.run() }
      let cursor = try await shopper.sync().cursor
      let tool = try await TestStore(in: store.folder, clock: store.clock)
      async let waiting = shopper.sync(cursor, wait: 25)
      try await store.untilWaiting(1)
      try await tool.move(shopper.accountID, to: "DE")
      try await tool.core.apps.register(App(id: "io.example.new", name: "New", redirectURIs: []))
      try await SandboxClockSetting(tool.core.dependencies.base).advance(by: 86400)
      try await until("the command line's changes to be noticed") {
        store.clock.advance(by: .seconds(1)); return store.core.changes.count == 0
      }
      let alpha2 = try await waiting.country.alpha2
      #expect(alpha2 == "DE")
      #expect(store.core.apps.app("io.example.new") != nil)
      #expect(store.core.dependencies.clock.now() == store.clock.now().addingTimeInterval(86400))
      service.cancel()
      try await service.value
    }
  }
}

/// Waits until something is true; the error says what was waited for.
func until(_ what: String, _ isTrue: () async throws -> Bool) async throws {
  try await NamedDeadline.wait(for: what, every: .milliseconds(1), until: isTrue)
}

extension TestStore {
  func epoch() async throws -> String { try await core.dependencies.database.read { try SyncEpoch.current(in: $0) } }

  /// Waits until so many polls wait.
  func untilWaiting(_ count: Int) async throws {
    try await until("\(count) polls to wait") { core.changes.waitingCount == count }
  }
}
