import OnsideAPI
import StoreAccounts
import StoreBaseTestSupport
import StoreTestSupport
import StoreWeb
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants

@Suite("Long polls of the feed", .timeLimit(.minutes(5)))
struct FeedPollTests {
  @Test("MER-6: a new number wakes the waiting polls of its app, and of no other app")
  func wakes() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      let other = try await store.reader(of: TestStore.otherApp, with: feed.client)
      async let waiting = feed.page("wait=25")
      async let sleeping = other.page("wait=25")
      try await store.untilFeedWaits(2)
      try await store.append([.entitlementChanged])
      try await store.core.sequencer.assign()
      let page = try await waiting
      #expect(page.events.map(\.data.number) == [1])
      #expect(store.core.eventFeed.polls.waitingCount == 1)
      store.advance(by: .seconds(26))
      let empty = try await sleeping
      #expect(empty == MerchantFeedMessage(events: []))
      #expect(store.core.eventFeed.polls.count == 0)
    }
  }

  @Test("MER-6: a poll with a filter waits on while events of other types arrive")
  func filtered() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      async let waiting = feed.page("wait=25&types=order.paid")
      try await store.untilFeedWaits(1)
      try await store.append([.entitlementChanged, .orderRefunded])
      try await store.core.sequencer.assign()
      try await store.untilFeedWaits(1)
      let marks = store.core.eventFeed.polls.waiting[TestShop.app.id]
      #expect(marks == [2])
      try await store.append([.orderPaid])
      try await store.core.sequencer.assign()
      let page = try await waiting
      #expect(page.events.map(\.data.number) == [3])
    }
  }

  @Test("MER-6: a poll without events ends when its time is up, with its cursor")
  func timeout() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append([.entitlementChanged])
      try await store.core.sequencer.assign()
      let cursor = try await feed.page().cursor
      async let waiting = feed.page(after: cursor, "wait=25")
      try await store.untilFeedWaits(1)
      store.advance(by: .milliseconds(24_500))
      #expect(store.core.eventFeed.polls.waitingCount == 1)
      store.advance(by: .seconds(1))
      let page = try await waiting
      #expect(page == MerchantFeedMessage(events: [], cursor: cursor))
    }
  }

  @Test("MER-6: the comparison with the database wakes a poll for another process's events; without any it waits on")
  func otherProcess() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      let process = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
      async let waiting = feed.page("wait=25")
      try await store.untilFeedWaits(1)
      try await store.core.eventFeed.wakeOutdated()
      #expect(store.core.eventFeed.polls.waitingCount == 1)
      try await process.append([.entitlementChanged])
      try await process.core.sequencer.assign()
      try await store.core.eventFeed.wakeOutdated()
      let page = try await waiting
      #expect(page.events.map(\.data.number) == [1])
      await process.core.dependencies.database.close()
    }
  }

  @Test("A stopping store ends the polls of the feed, and later polls do not wait")
  func stop() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      async let waiting = feed.page("wait=25")
      try await store.untilFeedWaits(1)
      store.core.eventFeed.close()
      let page = try await waiting
      #expect(page.events.isEmpty)
      let later = try await feed.page("wait=25")
      #expect(later.events.isEmpty)
    }
  }

  @Test("Of 65 polls of an app the oldest ends, and does not take the place of a newer one")
  func limit() async throws {
    // The limit of accounts does not apply.
    let store = try await TestStore { $0.limits.waitingPollsPerAccount = 1 }
    try await store.feed { reader in
      let (feed, query) = (store.core.eventFeed, FeedQuery(app: TestShop.app.id, wait: .seconds(25)))
      async let first = reader.page("wait=25")
      try await store.untilFeedWaits(1)
      let others = (2...EventFeed.waitingPolls).map { _ in Task { try await feed.page(query).events.count } }
      try await store.untilFeedWaits(EventFeed.waitingPolls)
      async let last = reader.page("wait=25")
      let displaced = try await first
      #expect(displaced.events.isEmpty)
      try await store.untilFeedWaits(EventFeed.waitingPolls)
      try await store.append([.entitlementChanged])
      try await store.core.sequencer.assign()
      let page = try await last
      #expect(page.events.map(\.data.number) == [1])
      for other in others {
        let count = try await other.value
        #expect(count == 1)
      }
    }
  }
}
