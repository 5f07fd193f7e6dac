import Foundation
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants

@Suite("Webhooks after faults of receivers and processes", .timeLimit(.minutes(5)))
struct WebhookFaultTests {
  @Test("WHK-4: status 410 disables an endpoint at once, and enabling it loses no event")
  func gone() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver { _ in .gone })
    let (endpoint, deliveries) = (try await store.endpoint(), store.deliveries(to: receiver))
    try await store.publish("s-1")
    await deliveries.drain()
    let state = try #require(try await store.state(of: endpoint))
    #expect(state.endpoint.disabledReason == .gone && state.endpoint.disabledAt == store.clock.now())
    receiver.answer { _ in .ok }
    try await store.publish("s-2", "s-3")
    store.advance(by: .seconds(3600))
    await deliveries.drain()
    #expect(receiver.numbers == [1])
    let count = try await store.core.webhooks.enable(endpoint)
    #expect(count == 1)
    await deliveries.drain()
    #expect(receiver.numbers.sorted() == [1, 1, 2, 3])
    let enabled = try #require(try await store.state(of: endpoint))
    #expect(enabled.endpoint.disabledAt == nil && enabled.endpoint.failingSince == nil && enabled.waiting == 0)
  }

  @Test("WHK-4: five days of failures only and an event's fourth disable an endpoint; a success begins them again")
  func failures() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver { _ in .broken })
    let (endpoint, deliveries) = (try await store.endpoint(), store.deliveries(to: receiver))
    func publish(_ subject: String, _ answer: WebhookAttempt, after pause: Duration) async throws {
      store.advance(by: pause)
      try await store.publish(subject)
      receiver.answer { _ in answer }
      await deliveries.drain()
    }
    try await publish("s-1", .broken, after: .zero)
    let start = store.clock.now()
    let failing = try await store.state(of: endpoint)?.endpoint.failingSince
    #expect(failing == start)
    try await publish("s-2", .ok, after: .seconds(4 * 86_400))
    try await publish("s-3", .broken, after: .seconds(2 * 86_400))
    let afterSuccess = try #require(try await store.state(of: endpoint)).endpoint
    #expect(afterSuccess.disabledAt == nil && afterSuccess.failingSince == store.clock.now())
    try await publish("s-4", .broken, after: .seconds(5 * 86_400 - 1))
    let before = try await store.state(of: endpoint)?.endpoint.disabledAt
    #expect(before == nil)
    try await publish("s-5", .broken, after: .seconds(1))
    let early = try await store.state(of: endpoint)?.endpoint.disabledAt
    #expect(early == nil)
    // The third and the fourth attempt of event 3.
    for pause in WebhookRetries.pauses[1...2] {
      store.advance(by: .seconds(pause * 1.2))
      await deliveries.drain()
    }
    let after = try await store.state(of: endpoint)?.endpoint.disabledReason
    #expect(after == .failures)
  }

  @Test("WHK-4: a process that ends between sending and writing repeats its requests only, with the same ids")
  func killed() async throws {
    let store = try await TestStore()
    _ = try await store.endpoint()
    for number in 1...20 { try await store.publish("s-\(number)") }
    let (first, second) = (WebhookReceiver { _ in nil }, WebhookReceiver())
    // The clock of the first process stands still, so that it does not renew its lease.
    let process = try await TestStore(in: store.folder, seed: 2)
    let killed = Task { [deliveries = process.deliveries(to: first)] in _ = await deliveries.drain() }
    try await until("eight requests") { first.requests.count == DeliveryPlan.concurrency }
    let other = store.deliveries(to: second)
    let leased = await other.drain()
    #expect(leased == 0 && second.requests.isEmpty)
    store.clock.advance(by: .seconds(EndpointLease.length))
    await other.drain()
    #expect(second.numbers.sorted() == Array(1...20))
    let repeated = Set(first.requests.map(\.id))
    #expect(repeated.isSubset(of: second.requests.map(\.id)))
    killed.cancel()
    await killed.value
    await other.drain()
    #expect(second.requests.count == 20)
    await process.core.dependencies.database.close()
  }

  @Test("WHK-4: two processes deliver each event to each endpoint once")
  func together() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    let process = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    for number in 1...4 { _ = try await store.endpoint("https://shop\(number).example/") }
    let (one, two) = (store.deliveries(to: receiver), process.deliveries(to: receiver))
    for round in 0..<5 {
      for number in 0..<6 { try await store.publish("s-\(round)-\(number)") }
      async let first = one.drain()
      async let second = two.drain()
      let served = await first + second
      #expect(served >= 4)
    }
    await one.drain()
    let sent = receiver.requests.map { "\($0.url) \($0.id)" }
    #expect(sent.count == 120 && Set(sent).count == 120)
    await process.core.dependencies.database.close()
  }

  @Test("WHK-4: after lost commits an endpoint gets the new events whose numbers are assigned again")
  func lostCommits() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    let paid = MerchantEventType.orderPaid
    let endpoint = try await store.endpoint(types: [paid.rawValue])
    let deliveries = store.deliveries(to: receiver)
    try await store.publish("s-1", type: paid)
    await deliveries.drain()
    try await store.publish("s-2", "s-3")
    await deliveries.drain()
    try await store.loseEvents(from: 2, epoch: "second")
    try await store.publish("s-4", type: paid)
    await deliveries.drain()
    #expect(receiver.requests.map(\.id).last == "evt_second_2")
    #expect(receiver.numbers == [1, 2])
    let cursor = try await store.state(of: endpoint)?.endpoint.cursor
    #expect(cursor == 2)
  }
}
