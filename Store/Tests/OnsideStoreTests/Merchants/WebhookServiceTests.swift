import Foundation
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants

@Suite("Endpoints of webhooks", .timeLimit(.minutes(5)))
struct WebhookServiceTests {
  /// A store with one endpoint, which has got three events.
  private func served() async throws -> (TestStore, WebhookReceiver, WebhookDeliveries, endpoint: String) {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    let (endpoint, deliveries) = (try await store.endpoint(), store.deliveries(to: receiver))
    for subject in ["s-1", "s-2", "s-3"] {
      try await store.publish(subject)
      await deliveries.drain()
      store.advance(by: .seconds(3600))
    }
    return (store, receiver, deliveries, endpoint)
  }

  @Test("WHK-1: requests are signed with both secrets for 24 hours after a rotation, then with the new one")
  func rotation() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    let made = try await store.core.webhooks.add(
      app: TestShop.app.id, url: "https://shop.example/", types: [], allowsPrivate: false)
    let deliveries = store.deliveries(to: receiver)
    func secrets(_ subject: String) async throws -> [WebhookSecret]? {
      try await store.publish(subject)
      await deliveries.drain()
      return receiver.requests.last?.secrets
    }
    let first = try await secrets("s-1")
    #expect(first == [made.secret])
    let second = try #require(try await store.core.webhooks.rotate(made.endpoint.id))
    let both = try await secrets("s-2")
    #expect(both == [second, made.secret])
    store.advance(by: .seconds(WebhookEndpoint.overlap))
    let one = try await secrets("s-3")
    #expect(one == [second])
    let third = try #require(try await store.core.webhooks.rotate(made.endpoint.id, isImmediate: true))
    let now = try await secrets("s-4")
    #expect(now == [third])
  }

  @Test("A previous secret that does not open is left out; a newest one that does not open is a failed attempt")
  func brokenSeal() async throws {
    let (store, receiver) = (try await TestStore(), WebhookReceiver())
    let (endpoint, deliveries) = (try await store.endpoint(), store.deliveries(to: receiver))
    func replace(_ column: String) async throws {
      try await store.core.dependencies.database.write {
        try $0.execute("UPDATE webhook_endpoints SET \(column) = $1", [.blob([1, 2, 3])])
      }
    }
    let second = try #require(try await store.core.webhooks.rotate(endpoint))
    try await replace("older_secret")
    try await store.publish("s-1")
    await deliveries.drain()
    #expect(receiver.requests.map(\.secrets) == [[second]])
    try await replace("secret")
    try await store.publish("s-2")
    await deliveries.drain()
    #expect(receiver.requests.count == 1)
    let failing = try #require(try await store.state(of: endpoint))
    #expect(failing.waiting == 1 && failing.endpoint.failingSince == store.clock.now())
    let outcomes = try await store.core.webhooks.attempts(endpoint)?.map(\.outcome)
    #expect(outcomes == [.secretUnreadable, .delivered])
    let third = try #require(try await store.core.webhooks.rotate(endpoint))
    store.advance(by: .seconds(6))
    await deliveries.drain()
    #expect(receiver.numbers == [1, 2] && receiver.requests.last?.secrets == [third])
    let served = try await store.state(of: endpoint)?.endpoint
    #expect(served?.failingSince == nil)
  }

  @Test("The database has the secret of an endpoint sealed, for this endpoint only")
  func seal() async throws {
    let store = try await TestStore()
    let made = try await store.core.webhooks.add(
      app: TestShop.app.id, url: "https://shop.example/", types: [], allowsPrivate: false)
    let id = made.endpoint.id
    let stored = try #require(
      try await store.core.dependencies.database.read { try EndpointRecords.stored(id, in: $0) })
    let seal = SecretSeal(
      purpose: WebhookSecret.sealPurpose, secrets: store.core.secrets, random: SeededRandomSource())
    let opened = try seal.open(stored.secret, id: id)
    #expect(opened == made.secret.text)
    #expect(String(decoding: stored.secret, as: UTF8.self).contains("whsec_") == false)
    #expect(throws: StorageError.self) { try seal.open(stored.secret, id: "0011223344556677") }
  }

  @Test("WHK-4: resends one event, all events since a time, and all failed ones, with their ids")
  func resend() async throws {
    let (store, receiver, deliveries, endpoint) = try await served()
    let webhooks = store.core.webhooks
    let event = try #require(receiver.requests.first.flatMap { MerchantEventID($0.id) })
    let one = try await webhooks.resend(event, to: endpoint)
    await deliveries.drain()
    #expect(one == 1 && receiver.numbers == [1, 2, 3, 1])
    let since = try await webhooks.resend(since: store.clock.now() - 7300, to: endpoint)
    await deliveries.drain()
    #expect(since == 2 && receiver.numbers.suffix(2).sorted() == [2, 3])
    receiver.answer { _ in .broken }
    try await store.publish("s-4")
    await deliveries.drain()
    receiver.answer { _ in .ok }
    let failed = try await webhooks.resendFailed(to: endpoint)
    await deliveries.drain()
    #expect(failed == 1 && receiver.numbers.suffix(2) == [4, 4])
    #expect(Set(receiver.requests.map(\.id)).count == 4)
    let state = try #require(try await store.state(of: endpoint))
    #expect(state.waiting == 0 && state.exhausted == 0)
  }

  @Test("An unknown event and one that waits for its first attempt are not sent again")
  func notSent() async throws {
    let (store, _, _, endpoint) = try await served()
    let webhooks = store.core.webhooks
    let epoch = try await store.epoch()
    try await store.publish("s-4")
    for id in [MerchantEventID(epoch: epoch, number: 4), .init(epoch: epoch, number: 9), .init(epoch: "x", number: 1)] {
      let count = try await webhooks.resend(id, to: endpoint)
      #expect(count == 0)
    }
    let unknown = try await webhooks.resend(MerchantEventID(epoch: epoch, number: 1), to: "0011223344556677")
    #expect(unknown == nil)
  }

  @Test("An operator disables an endpoint, and enables it with the events that it missed")
  func disable() async throws {
    let (store, receiver, deliveries, endpoint) = try await served()
    let isDisabled = try await store.core.webhooks.disable(endpoint)
    #expect(isDisabled)
    try await store.publish("s-4")
    await deliveries.drain()
    let state = try #require(try await store.state(of: endpoint))
    #expect(state.endpoint.disabledReason == .byOperator && receiver.numbers.count == 3)
    let count = try await store.core.webhooks.enable(endpoint)
    await deliveries.drain()
    #expect(count == 0 && receiver.numbers == [1, 2, 3, 4])
  }

  @Test("The attempts of 90 days are listed, the newest first, and older ones are deleted")
  func attempts() async throws {
    let (store, receiver, deliveries, endpoint) = try await served()
    receiver.answer { _ in .broken }
    store.advance(by: .seconds(89 * 86_400))
    try await store.publish("s-4")
    await deliveries.drain()
    let all = try #require(try await store.core.webhooks.attempts(endpoint))
    #expect(all.map(\.outcome) == [.rejectedStatus, .delivered, .delivered, .delivered])
    #expect(all.map(\.answer) == ["broken", "", "", ""])
    let failed = try await store.core.webhooks.attempts(endpoint, onlyFailed: true)
    #expect(failed?.count == 1)
    store.advance(by: .seconds(86_400))
    try await store.core.webhooks.clear()
    let kept = try await store.core.webhooks.attempts(endpoint)
    #expect(kept?.map(\.outcome) == [.rejectedStatus])
  }

  @Test("A removed endpoint and the endpoints of a removed app leave no rows")
  func removal() async throws {
    let (store, receiver, deliveries, endpoint) = try await served()
    receiver.answer { _ in .broken }
    try await store.publish("s-4")
    await deliveries.drain()
    let isRemoved = try await store.core.webhooks.remove(endpoint)
    #expect(isRemoved)
    _ = try await store.endpoint()
    try await store.core.dependencies.database.write(at: store.clock.now()) {
      try WebhookService.removeAll(of: TestShop.app.id, in: $0)
    }
    let rows = try await store.core.dependencies.database.read { connection in
      try ["webhook_endpoints", "webhook_deliveries", "webhook_attempts"].map {
        try connection.rows("SELECT 1 AS one FROM \($0)").count
      }
    }
    #expect(rows == [0, 0, 0])
  }

  @Test("An address that webhooks may not be sent to is rejected when it is added")
  func address() async throws {
    let store = try await TestStore()
    await #expect(throws: WebhookAddressError.notPermitted) { _ = try await store.endpoint("https://127.0.0.1/") }
    let all = try await store.core.webhooks.all()
    #expect(all.isEmpty)
  }
}
