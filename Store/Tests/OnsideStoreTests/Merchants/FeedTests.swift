import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreAccounts
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants

@Suite("Feed of a merchant's events", .timeLimit(.minutes(5)))
struct FeedTests {
  @Test("MER-6: the feed has an app's events in the order of their numbers, from the commit of the numbers on")
  func order() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append([.entitlementChanged])
      store.advance(by: .seconds(60))
      try await store.append([.entitlementChanged, .customerRemoved], of: "s-2", data: #"{"a":[1]}"#)
      let early = try await feed.page()
      #expect(early == MerchantFeedMessage(events: []))
      try await store.core.sequencer.assign()
      let page = try await feed.page()
      let epoch = try await store.epoch()
      #expect(page.events.map(\.id) == (1...3).map { "evt_\(epoch)_\($0)" })
      #expect(page.events.map(\.data.number) == [1, 2, 3])
      #expect(page.events.map(\.data.sequence) == [1, 1, 2])
      #expect(page.events.map(\.type) == [.entitlementChanged, .entitlementChanged, .customerRemoved])
      #expect(page.events.map(\.data.subject) == ["s-1", "s-2", "s-2"])
      #expect(page.events.map(\.data.app) == Array(repeating: TestShop.app.id, count: 3))
      #expect(page.events.last?.data.content == .object(["a": .list([.integer(1)])]))
      #expect(page.events.map { store.clock.now().timeIntervalSince($0.timestamp) } == [60, 0, 0])
      #expect(page.cursor == "evt_\(epoch)_3")
      #expect(!page.startsOver)
    }
  }

  @Test("MER-6: a paid order arrives in the feed with its object")
  func sale() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let order = try await shopper.buy("coins", token: "user-4711")
      try await store.core.sequencer.assign()
      let feed = try await store.reader(of: TestShop.app.id, with: shopper.client)
      let page = try await feed.page("types=order.paid")
      let event = try #require(page.events.first)
      #expect(page.events.count == 1)
      #expect(event.data.object == "order" && event.data.objectID == order.id.description)
      #expect(event.data.appAccountToken == "user-4711")
      guard case .object(let content) = event.data.content else {
        Issue.record("the order is no object")
        return
      }
      #expect(content["product_id"] == .text("coins"))
    }
  }

  @Test("MER-6: a cursor continues behind its event, and a limit ends a page")
  func cursor() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append(Array(repeating: .entitlementChanged, count: 5))
      try await store.core.sequencer.assign()
      var (cursor, pages) = (String?.none, [[Int64]]())
      for _ in 0..<4 {
        let page = try await feed.page(after: cursor, "limit=2")
        pages.append(page.events.map(\.data.number))
        #expect(!page.startsOver)
        cursor = page.cursor
      }
      let epoch = try await store.epoch()
      #expect(pages == [[1, 2], [3, 4], [5], []])
      #expect(cursor == "evt_\(epoch)_5")
    }
  }

  @Test("MER-6: a filter of types leaves out other events, and its cursor passes them")
  func types() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append([.orderPaid, .entitlementChanged, .orderPaid, .orderRefunded, .orderPaid])
      try await store.core.sequencer.assign()
      let page = try await feed.page("types=entitlement.changed,order.refunded")
      #expect(page.events.map(\.data.number) == [2, 4])
      let epoch = try await store.epoch()
      #expect(page.cursor == "evt_\(epoch)_5")
      let first = try await feed.page("types=entitlement.changed,order.refunded&limit=1")
      #expect(first.events.map(\.data.number) == [2])
      #expect(first.cursor == "evt_\(epoch)_2")
    }
  }

  @Test("MER-6: one page looks at 5,000 events of other types at most, and returns at once for the next page")
  func lookLimit() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append(Array(repeating: .orderPaid, count: 5000) + [.entitlementChanged])
      try await store.core.sequencer.assign()
      let page = try await feed.page("types=entitlement.changed&wait=30")
      let epoch = try await store.epoch()
      #expect(page.events.isEmpty)
      #expect(page.cursor == "evt_\(epoch)_5000")
      let next = try await feed.page(after: page.cursor, "types=entitlement.changed&wait=30")
      #expect(next.events.map(\.data.number) == [5001])
    }
  }

  @Test(
    "MER-6: a malformed parameter is 400",
    arguments: [
      "after=17", "after=evt_a", "after=evt_a_0", "limit=0", "limit=501", "limit=x", "wait=31", "wait=-1", "wait=1.5",
      "types=order.payed", "types=order.paid,x",
    ])
  func malformed(query: String) async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      let response = try await feed.get(query)
      #expect(response.status == .badRequest)
      let problem = try response.problem()
      #expect(problem.code == .invalidRequest)
      #expect(problem.detail?.contains(String(query.prefix { $0 != "=" })) == true)
      if query.hasPrefix("types") { #expect(problem.detail?.contains("order.paid, order.refunded") == true) }
    }
  }

  @Test("MER-6: a key sees the events of its own app alone, which have numbers of their own")
  func otherApp() async throws {
    let store = try await TestStore()
    try await store.feed { feed in
      try await store.append([.entitlementChanged, .entitlementChanged])
      try await store.core.sequencer.assign()
      let other = try await store.reader(of: TestStore.otherApp, with: feed.client)
      let empty = try await other.page()
      #expect(empty == MerchantFeedMessage(events: []))
      try await store.append([.orderPaid], in: TestStore.otherApp)
      try await store.core.sequencer.assign()
      let page = try await other.page()
      #expect(page.events.map(\.data.number) == [1])
      #expect(page.events.map(\.data.app) == [TestStore.otherApp])
      let own = try await feed.page()
      #expect(own.events.map(\.data.app) == [TestShop.app.id, TestShop.app.id])
    }
  }
}
