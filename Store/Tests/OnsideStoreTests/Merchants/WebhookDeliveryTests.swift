import Foundation
import OnsideAPI
import StoreAccounts
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants

@Suite("Deliveries of webhooks", .timeLimit(.minutes(5)))
struct WebhookDeliveryTests {
  @Test("WHK-1: an endpoint gets each new event once, with the bytes of the feed and the machine's time")
  func delivered() async throws {
    let store = try await TestStore()
    try await store.publish("s-0")
    let (endpoint, receiver) = (try await store.endpoint(), WebhookReceiver())
    try await store.core.dependencies.clock.reloadOffset { 86_400_000 }
    try await store.publish("s-1", "s-2", "s-3")
    let deliveries = store.deliveries(to: receiver)
    await deliveries.drain()
    await deliveries.drain()
    let requests = receiver.requests.sorted { $0.id < $1.id }
    #expect(receiver.numbers.sorted() == [2, 3, 4])
    #expect(requests.allSatisfy { $0.timestamp == store.clock.now() })
    let feed = try await store.core.eventFeed.page(FeedQuery(app: TestShop.app.id)).events.dropFirst()
    let bodies = feed.map { event in
      var json = JSONWriter()
      event.write(to: &json)
      return json.bytes
    }
    #expect(requests.map(\.body) == bodies)
    #expect(requests.map(\.id) == feed.map(\.id.text))
    let state = try #require(try await store.state(of: endpoint))
    #expect(state.endpoint.cursor == 4 && state.waiting == 0 && state.exhausted == 0)
    let attempts = try await store.core.webhooks.attempts(endpoint)
    #expect(attempts?.count == 3)
  }

  @Test("WHK-1: an endpoint with types gets events of these types only, and is not claimed for others")
  func types() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    let endpoint = try await store.endpoint(types: [MerchantEventType.orderPaid.rawValue])
    let deliveries = store.deliveries(to: receiver)
    try await store.publish("s-1", "s-2")
    let none = await deliveries.drain()
    #expect(none == 0)
    try await store.publish("s-3", type: .orderPaid)
    try await store.publish("s-4")
    let served = await deliveries.drain()
    #expect(served == 1 && receiver.numbers == [3])
    let cursor = try await store.state(of: endpoint)?.endpoint.cursor
    #expect(cursor == 4)
  }

  @Test("WHK-2: a failed delivery is repeated with the same id by the table, then it is exhausted")
  func retries() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver { _ in .broken })
    let (endpoint, deliveries) = (try await store.endpoint(), store.deliveries(to: receiver))
    try await store.publish("s-1")
    await deliveries.drain()
    #expect(receiver.numbers == [1])
    for (index, pause) in WebhookRetries.pauses.enumerated() {
      store.advance(by: .seconds(pause - 1))
      await deliveries.drain()
      #expect(receiver.numbers.count == index + 1, "early after attempt \(index + 1)")
      store.advance(by: .seconds(pause * 0.2 + 1))
      await deliveries.drain()
      #expect(receiver.numbers.count == index + 2, "late after attempt \(index + 1)")
    }
    let state = try #require(try await store.state(of: endpoint))
    #expect(state.waiting == 0 && state.exhausted == 1 && state.endpoint.disabledAt == nil)
    #expect(Set(receiver.requests.map(\.id)).count == 1)
  }

  @Test("WHK-3: an event waits for the retry of an earlier one of its object, others do not")
  func order() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver { _ in .broken })
    _ = try await store.endpoint()
    let deliveries = store.deliveries(to: receiver)
    try await store.publish("s-1")
    await deliveries.drain()
    receiver.answer { _ in .ok }
    try await store.publish("s-1", "s-2")
    await deliveries.drain()
    #expect(receiver.numbers == [1, 3])
    store.advance(by: .seconds(6))
    await deliveries.drain()
    #expect(receiver.numbers == [1, 3, 1, 2])
  }

  @Test("WHK-3: after a minute of failures an object's later event is sent before the retry")
  func orderLimit() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver { _ in .broken })
    _ = try await store.endpoint()
    let deliveries = store.deliveries(to: receiver)
    try await store.publish("s-1", "s-1")
    await deliveries.drain()
    store.advance(by: .seconds(6))
    await deliveries.drain()
    #expect(receiver.numbers == [1, 1])
    receiver.answer { _ in .ok }
    store.advance(by: .seconds(54))
    await deliveries.drain()
    #expect(receiver.numbers == [1, 1, 2])
  }

  @Test("WHK-3: an endpoint that never answers delays no other")
  func deadEndpoint() async throws {
    let store = try await TestStore()
    let receiver = WebhookReceiver { $0.url.contains("dead") ? nil : .ok }
    _ = try await store.endpoint("https://dead.example/")
    _ = try await store.endpoint("https://good.example/")
    let deliveries = store.deliveries(to: receiver)
    let service = Task { await deliveries.run() }
    for round in 1...3 {
      for event in 0..<10 { try await store.publish("s-\(round)-\(event)") }
      try await until("\(round * 10) events at the good endpoint") {
        deliveries.wake()
        return receiver.requests.filter { $0.url.contains("good") }.count == round * 10
      }
    }
    let dead = receiver.requests.filter { $0.url.contains("dead") }.count
    #expect(dead == DeliveryPlan.concurrency)
    service.cancel()
    await service.value
  }

  @Test("WHK-1: numbers of events begin deliveries without a pause")
  func wake() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    _ = try await store.endpoint()
    let deliveries = store.deliveries(to: receiver)
    let numbers = EventNumbers(polls: store.core.eventFeed.polls) { deliveries.wake() }
    let sequencer = Sequencer(store.core.dependencies.base, rows: [numbers])
    let service = Task { await deliveries.run() }
    // After the first one, nothing but the numbers begins a look: the clock stands still.
    for count in 1...3 {
      try await store.append([.entitlementChanged], of: "s-\(count)")
      try await sequencer.assign()
      try await until("\(count) requests") { receiver.requests.count == count }
      try await until("the end of the lease") { try await !store.hasLease() }
    }
    service.cancel()
    await service.value
  }
}
