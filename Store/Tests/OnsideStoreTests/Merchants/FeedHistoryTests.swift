import Foundation
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales

@Suite("Cursors of the feed after a loss and after retention", .timeLimit(.minutes(5)))
struct FeedHistoryTests {
  @Test("MER-6: a cursor of a lost event starts over, also if its number was assigned again")
  func lostEvents() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append(Array(repeating: .entitlementChanged, count: 3))
      try await store.core.sequencer.assign()
      let before = try await feed.page()
      let epoch = try await store.epoch()
      try await store.loseEvents(from: 3, epoch: "later_1")
      let lost = try await feed.page(after: before.cursor)
      #expect(lost.startsOver && lost.events.map(\.data.number) == [1, 2])
      try await store.append([.entitlementChanged])
      try await store.core.sequencer.assign()
      let page = try await feed.page(after: before.cursor)
      #expect(page.startsOver)
      #expect(page.events.map(\.id) == ["evt_\(epoch)_1", "evt_\(epoch)_2", "evt_later_1_3"])
      let sequences = page.events.map(\.data.sequence)
      #expect(sequences.prefix(2) == [1, 2])
      #expect(sequences.last == Int64(store.clock.now().timeIntervalSince1970))
    }
  }

  @Test("MER-6: a reader that starts over reads on through the events of earlier epochs")
  func startsOverOnce() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append(Array(repeating: .entitlementChanged, count: 3))
      try await store.core.sequencer.assign()
      var cursor = try await feed.page().cursor
      try await store.loseEvents(from: 3, epoch: "second")
      try await store.append([.entitlementChanged])
      try await store.core.sequencer.assign()
      var (numbers, starts) = ([Int64](), 0)
      for _ in 0..<4 {
        let page = try await feed.page(after: cursor, "limit=1")
        numbers += page.events.map(\.data.number)
        starts += page.startsOver ? 1 : 0
        cursor = page.cursor
      }
      #expect(numbers == [1, 2, 3])
      #expect(starts == 1)
    }
  }

  @Test("MER-6: a cursor from before a restore continues if its event was not lost")
  func keptEvents() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append(Array(repeating: .entitlementChanged, count: 3))
      try await store.core.sequencer.assign()
      let cursor = try await feed.page("limit=2").cursor
      try await store.loseEvents(from: 3, epoch: "second")
      try await store.append([.customerRemoved])
      try await store.core.sequencer.assign()
      let page = try await feed.page(after: cursor)
      #expect(!page.startsOver)
      #expect(page.events.map(\.id) == ["evt_second_3"])
    }
  }

  @Test("MER-6: a cursor beyond the newest event starts over, as after a restore without a new epoch")
  func beyond() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      let epoch = try await store.epoch()
      let empty = try await feed.page(after: "evt_\(epoch)_1")
      #expect(empty == MerchantFeedMessage(events: [], startsOver: true))
      try await store.append([.entitlementChanged])
      try await store.core.sequencer.assign()
      let page = try await feed.page(after: "evt_\(epoch)_2", "wait=30")
      #expect(page.startsOver && page.events.map(\.data.number) == [1])
    }
  }

  @Test("MER-6: a cursor whose event retention has deleted continues at the oldest event that exists")
  func retention() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append(Array(repeating: .entitlementChanged, count: 4))
      try await store.core.sequencer.assign()
      let cursor = try await feed.page("limit=1").cursor
      store.advance(by: .seconds(181 * 86400))
      try await EventRetention(store.core.dependencies.base).clear()
      let stored = try await store.core.dependencies.database.read { connection in
        try connection.rows("SELECT number FROM merchant_events ORDER BY number").map { try $0.integer("number") }
      }
      #expect(stored == [4])
      let page = try await feed.page(after: cursor)
      #expect(!page.startsOver && page.events.map(\.data.number) == [4])
      let oldest = try await feed.page()
      #expect(oldest.events.map(\.data.number) == [4])
    }
  }
}
